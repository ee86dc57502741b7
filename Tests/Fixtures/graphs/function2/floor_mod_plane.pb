
>
inputPlaceholder*
dtype0*
shape:
o

FloorMod/yConst*
dtype0*M
valueDBB"0â¼ ?ü‡Ð?OÛ?¤‘?Û¶8?Ç=È?Ú´ÿ?Z9â?È×?6%Š?9Y?/:Á?
0
FloorModFloorModinput
FloorMod/y*
T0
%
outputIdentityFloorMod*
T0"ª