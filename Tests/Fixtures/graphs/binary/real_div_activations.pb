
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
+
RealDivRealDivinputSigmoid*
T0
$
outputIdentityRealDiv*
T0"ª