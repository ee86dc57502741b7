
>
inputPlaceholder*
dtype0*
shape:

ErfErfinput*
T0
 
outputIdentityErf*
T0"ª