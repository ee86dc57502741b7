
:
inputPlaceholder*
dtype0*
shape:

TanhTanhinput*
T0
@
PackPackinputTanh*
N*
T0*
axisþÿÿÿÿÿÿÿÿ
!
outputIdentityPack*
T0"ª