
>
inputPlaceholder*
dtype0*
shape:
K

FloorMod/yConst*
dtype0*)
value B"ùØ§?d°è?•WŒ?ÈgÌ?πè?
0
FloorModFloorModinput
FloorMod/y*
T0
%
outputIdentityFloorMod*
T0"™