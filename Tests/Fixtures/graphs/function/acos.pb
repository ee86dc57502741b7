
>
inputPlaceholder*
dtype0*
shape:

AcosAcosinput*
T0
!
outputIdentityAcos*
T0"ª