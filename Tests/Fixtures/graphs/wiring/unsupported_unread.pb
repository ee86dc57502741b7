
>
inputPlaceholder*
dtype0*
shape:
 
LgammaLgammainput*
T0

TanhTanhinput*
T0
!
outputIdentityTanh*
T0"ª