
>
inputPlaceholder*
dtype0*
shape:

AbsAbsinput*
T0
 
outputIdentityAbs*
T0"ª