
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
#
AddAddinputSigmoid*
T0
 
outputIdentityAdd*
T0"ª