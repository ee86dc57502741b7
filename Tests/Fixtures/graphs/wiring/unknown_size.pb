
Y
inputPlaceholder*
dtype0*6
shape-:+ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
F
block/first/yConst*
dtype0*!
valueB"v¾tÝl¿@¯>
1
block/firstMulinputblock/first/y*
T0
G
block/second/yConst*
dtype0*!
valueB"¼6-¾@ß´>ç_¡?
;
block/secondAddV2block/firstblock/second/y*
T0
)
outputIdentityblock/second*
T0"ª