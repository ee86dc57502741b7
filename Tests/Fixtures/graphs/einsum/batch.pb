
:
inputPlaceholder*
dtype0*
shape:
è
Einsum/inputs_1Const*
dtype0*À
value¶B³" Á&V¾Óˆ5¿¨Å.¿¡s0¿2¶‡¿ù;õ>—•ô¾ÄG?R³Ï=\?m’¼}ìv¾îÜÜ¿R¿Q´¼A°¾5Æ‹¿fÆq>ó¬À¾ƒI?Ne†¾½é?EOŒ½ÒfP?Ú¾¦”…¼Z€*¿²Vò>Ú[¾„P.¿I`×=á€—¾Ô™>cŠ«>xF*>à¦?=õ·H?»C>'	9ÀèÌa?
V
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equationbij,bjk->bik
#
outputIdentityEinsum*
T0"ª