
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
#
MulMulinputSigmoid*
T0
 
outputIdentityMul*
T0"ª