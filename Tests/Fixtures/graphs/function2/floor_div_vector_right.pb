
>
inputPlaceholder*
dtype0*
shape:
K

FloorDiv/yConst*
dtype0*)
value B"	S?|<@?i3Ð?5ì?æ“?
0
FloorDivFloorDivinput
FloorDiv/y*
T0
%
outputIdentityFloorDiv*
T0"ª