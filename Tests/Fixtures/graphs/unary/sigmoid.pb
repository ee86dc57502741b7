
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
$
outputIdentitySigmoid*
T0"ª