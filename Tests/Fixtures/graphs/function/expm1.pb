
>
inputPlaceholder*
dtype0*
shape:

Expm1Expm1input*
T0
"
outputIdentityExpm1*
T0"ª