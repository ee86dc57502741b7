
>
inputPlaceholder*
dtype0*
shape:
F
block/first/yConst*
dtype0*!
valueB"ÉÅ?Ë‰‘¿[“/¿
5
block/firstMulinput:0block/first/y:0*
T0
G
block/second/yConst*
dtype0*!
valueB"ç¿É8µ¿¬£?
?
block/secondAddV2block/first:0block/second/y:0*
T0
+
outputIdentityblock/second:0*
T0"ª