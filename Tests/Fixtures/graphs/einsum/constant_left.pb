
6
inputPlaceholder*
dtype0*
shape
:
p
Einsum/inputs_0Const*
dtype0*I
value@B>"0÷¸Ã>±Ôã?5¾]¿8Éğ<TŒ¾˜‰¦¿F¯F?&r`?`#™?p³·?Ìœ¾Ä¤ã¿
S
EinsumEinsumEinsum/inputs_0input*
N*
T0*
equation	ij,jk->ik
#
outputIdentityEinsum*
T0"ª