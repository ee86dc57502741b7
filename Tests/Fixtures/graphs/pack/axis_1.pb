
:
inputPlaceholder*
dtype0*
shape:

TanhTanhinput*
T0
7
PackPackinputTanh*
N*
T0*

axis
!
outputIdentityPack*
T0"ª