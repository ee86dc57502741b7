
)
outputIdentityblock/second*
T0
;
block/secondAddV2block/firstblock/second/y*
T0
G
block/second/yConst*
dtype0*!
valueB"íI>}Š?ÖGó=
1
block/firstMulinputblock/first/y*
T0
F
block/first/yConst*
dtype0*!
valueB"
éU?4æ
?dº¿
>
inputPlaceholder*
dtype0*
shape:"ª