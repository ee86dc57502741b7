
>
inputPlaceholder*
dtype0*
shape:
F
block/first/yConst*
dtype0*!
valueB"èŸ¿U;¿á„û?
1
block/firstMulinputblock/first/y*
T0
G
block/second/yConst*
dtype0*!
valueB"zØ>´‡¾—W>
;
block/secondAddV2block/firstblock/second/y*
T0
0
outputIdentityblock/second^init*
T0

initNoOp^block/first"ª