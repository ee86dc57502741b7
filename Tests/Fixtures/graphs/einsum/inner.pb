
6
inputPlaceholder*
dtype0*
shape
:
h
Einsum/inputs_1Const*
dtype0*A
value8B6"(J²½6¼˜¼Õp>£(ø¾.@>ì›/¾IŸ>îñm?¼ç? 6ò¼
R
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation
ij,ij->i
#
outputIdentityEinsum*
T0"ª