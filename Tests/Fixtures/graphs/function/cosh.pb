
>
inputPlaceholder*
dtype0*
shape:

CoshCoshinput*
T0
!
outputIdentityCosh*
T0"ª