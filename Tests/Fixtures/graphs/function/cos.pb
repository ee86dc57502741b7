
>
inputPlaceholder*
dtype0*
shape:

CosCosinput*
T0
 
outputIdentityCos*
T0"ª