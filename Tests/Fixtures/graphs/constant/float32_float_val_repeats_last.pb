
:
inputPlaceholder*
dtype0*
shape:
=
constantConst*
dtype0*
valueB*¾ÿº>“sT¿
(
AddV2AddV2inputconstant*
T0
"
outputIdentityAddV2*
T0"ª