
>
inputPlaceholder*
dtype0*
shape:

AtanhAtanhinput*
T0
"
outputIdentityAtanh*
T0"ª