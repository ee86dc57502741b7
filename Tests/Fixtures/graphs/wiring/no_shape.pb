
0
inputPlaceholder*
dtype0*
shape:
F
block/first/yConst*
dtype0*!
valueB"R˜¾˜¾ M?
1
block/firstMulinputblock/first/y*
T0
G
block/second/yConst*
dtype0*!
valueB"ç©=qç>NÖŸ?
;
block/secondAddV2block/firstblock/second/y*
T0
)
outputIdentityblock/second*
T0"ª