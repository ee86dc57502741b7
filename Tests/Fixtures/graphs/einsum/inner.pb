
6
inputPlaceholder*
dtype0*
shape
:
`
Einsum/inputs_1Const*
dtype0*9
value0B." J²½6¼˜¼Õp>£(ø¾.@>ì›/¾IŸ>îñm?
R
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation
ij,ij->i
#
outputIdentityEinsum*
T0"ª