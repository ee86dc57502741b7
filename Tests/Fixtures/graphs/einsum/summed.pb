
:
inputPlaceholder*
dtype0*
shape:

Einsum/inputs_1Const*
dtype0*i
value`B^"Pã²2?YDü?‰|w¾¼„6¿šÕ…?’N…?ÈQ;nT!?¹É½Øp?Ã¾Ä¿âa¿¾_†¿>?¿IÀ¬¾l­
@½z ?Mæt?ppr¿Lø?
T
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation
ijk,kl->il
#
outputIdentityEinsum*
T0"ª