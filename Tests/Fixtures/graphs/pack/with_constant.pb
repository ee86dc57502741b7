
6
inputPlaceholder*
dtype0*
shape
:
V
Pack/values_0Const*
dtype0*1
value(B&"ø1?í¡+?¥Ù0?ĞÌ¼y+Í?^¨ş=
@
PackPackPack/values_0input*
N*
T0*

axis
!
outputIdentityPack*
T0"ª