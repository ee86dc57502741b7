
:
inputPlaceholder*
dtype0*
shape:
@
EinsumEinsuminput*
N*
T0*
equation	ijk->ki
#
outputIdentityEinsum*
T0"ª