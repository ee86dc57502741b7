
6
inputPlaceholder*
dtype0*
shape
:
»
Einsum/inputs_1Const*
dtype0*“
value‰B†"x>Üü½‡Et?m-³>ÁÅ@¿j¿Ócû>'{¿¹œz¿øÓ>èìÀÇÆg>øÔ$?–³K¾¸¿¾T>ßş¿¢Ô?ÍÑÆ¿¡%¿XXX¾•=¾˜¿¡>“†‡?Ê4"@ƒX?³
¿Â·¼.&2Àås8¾W:q¿
S
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation	ij,kj->ki
#
outputIdentityEinsum*
T0"ª