
:
inputPlaceholder*
dtype0*
shape:

TanhTanhinput*
T0
K
EinsumEinsuminputTanh*
N*
T0*
equationbij,bkj->bik
#
outputIdentityEinsum*
T0"ª