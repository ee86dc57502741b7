
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
?
SquaredDifferenceSquaredDifferenceinputSigmoid*
T0
.
outputIdentitySquaredDifference*
T0"ª