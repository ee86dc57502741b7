
>
inputPlaceholder*
dtype0*
shape:

AsinhAsinhinput*
T0
"
outputIdentityAsinh*
T0"ª