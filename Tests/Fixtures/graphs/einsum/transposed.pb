
6
inputPlaceholder*
dtype0*
shape
:

Einsum/inputs_1Const*
dtype0*i
value`B^"P>Üü½‡Et?m-³>ÁÅ@¿j¿Ócû>'{¿¹œz¿øÓ>èìÀÇÆg>øÔ$?–³K¾¸¿¾T>ßş¿¢Ô?ÍÑÆ¿¡%¿XXX¾
S
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation	ij,kj->ki
#
outputIdentityEinsum*
T0"ª