
>
inputPlaceholder*
dtype0*
shape:

ErfcErfcinput*
T0
!
outputIdentityErfc*
T0"ª