
:
inputPlaceholder*
dtype0*
shape:
A
EinsumEinsuminput*
N*
T0*
equation
ijk->kij
#
outputIdentityEinsum*
T0"ª