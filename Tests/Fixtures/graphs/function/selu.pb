
>
inputPlaceholder*
dtype0*
shape:

SeluSeluinput*
T0
!
outputIdentitySelu*
T0"ª