
:
inputPlaceholder*
dtype0*
shape:
3
constantConst*
dtype0*
value
B
(
AddV2AddV2inputconstant*
T0
"
outputIdentityAddV2*
T0"ª