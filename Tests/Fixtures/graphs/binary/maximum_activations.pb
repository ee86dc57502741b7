
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
+
MaximumMaximuminputSigmoid*
T0
$
outputIdentityMaximum*
T0"ª