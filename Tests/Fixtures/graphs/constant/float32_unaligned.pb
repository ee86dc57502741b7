
:
inputPlaceholder*
dtype0*
shape:
>
aConst*
dtype0*%
valueB"z¾*¾ÜÇ¼FT½»¤¡Ã?
!
AddV2AddV2inputa*
T0
@
bcdConst*
dtype0*%
valueB"î¡µ»ì}¾HGˆ?Q¿
%
AddV2_1AddV2AddV2bcd*
T0
$
outputIdentityAddV2_1*
T0"ª