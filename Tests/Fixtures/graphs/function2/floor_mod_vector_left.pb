
>
inputPlaceholder*
dtype0*
shape:
K

FloorMod/xConst*
dtype0*)
value B"®Ô>@ç©T@ƒ\š@Èüj@³Ý$@
0
FloorModFloorMod
FloorMod/xinput*
T0
%
outputIdentityFloorMod*
T0"ª