
:
inputPlaceholder*
dtype0*
shape:
9
constantConst*
dtype0*
valueB*òÙ¿
(
AddV2AddV2inputconstant*
T0
"
outputIdentityAddV2*
T0"ª