
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
+
MinimumMinimuminputSigmoid*
T0
$
outputIdentityMinimum*
T0"ª