
>
inputPlaceholder*
dtype0*
shape:
K

FloorDiv/xConst*
dtype0*)
value B"àTv@É¢Ž@1Ì-@˜4Z@PV@
0
FloorDivFloorDiv
FloorDiv/xinput*
T0
%
outputIdentityFloorDiv*
T0"ª