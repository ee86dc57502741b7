
2
inputPlaceholder*
dtype0*
shape:
L
Einsum/inputs_1Const*
dtype0*%
valueB"ÄÀyL³>Kì%À3¿
Q
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation	i,j->ij
#
outputIdentityEinsum*
T0"ª