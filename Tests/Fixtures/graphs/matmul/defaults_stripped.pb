
6
inputPlaceholder*
dtype0*
shape
:
u
MatMul/bConst*
dtype0*U
valueLBJ"<æ“¹?‡?d–?yM¾ã°Ç?ÿ×¾ÂvA>jþ¿˜•3=ÇR€?bŠ>ž6¿$ÆN?–Ç?'½
*
MatMulMatMulinputMatMul/b*
T0
#
outputIdentityMatMul*
T0"ª