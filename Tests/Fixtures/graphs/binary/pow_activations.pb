
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
#
PowPowinputSigmoid*
T0
 
outputIdentityPow*
T0"ª