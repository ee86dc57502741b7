
>
inputPlaceholder*
dtype0*
shape:

AsinAsininput*
T0
!
outputIdentityAsin*
T0"ª