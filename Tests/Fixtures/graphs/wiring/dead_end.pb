
>
inputPlaceholder*
dtype0*
shape:

SqrtSqrtinput*
T0

TanhTanhinput*
T0
!
outputIdentityTanh*
T0"ª