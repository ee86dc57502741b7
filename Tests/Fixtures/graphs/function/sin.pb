
>
inputPlaceholder*
dtype0*
shape:

SinSininput*
T0
 
outputIdentitySin*
T0"ª