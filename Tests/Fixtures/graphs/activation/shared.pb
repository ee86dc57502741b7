
>
inputPlaceholder*
dtype0*
shape:
"
SigmoidSigmoidinput*
T0
#
MulMulinputSigmoid*
T0
%
AddV2AddV2MulSigmoid*
T0
"
outputIdentityAddV2*
T0"ª