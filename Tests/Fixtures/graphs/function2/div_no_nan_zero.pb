
>
inputPlaceholder*
dtype0*
shape:

ReluReluinput*
T0
*
DivNoNanDivNoNaninputRelu*
T0
%
outputIdentityDivNoNan*
T0"ª