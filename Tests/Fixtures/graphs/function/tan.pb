
>
inputPlaceholder*
dtype0*
shape:

TanTaninput*
T0
 
outputIdentityTan*
T0"ª