
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
#
SubSubinputSigmoid*
T0
 
outputIdentitySub*
T0"ª