
6
inputPlaceholder*
dtype0*
shape
:

TanhTanhinput*
T0
!
outputIdentityTanh*
T0"ª