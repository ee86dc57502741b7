
:
inputPlaceholder*
dtype0*
shape:
È
Einsum/inputs_1Const*
dtype0* 
value–B“"€+…?®pÅ>(Ğò>´¾”>Ê;Ä½{¿Üä?›áÀ<Yõ½œn3¿a&–?>?/¿ht)@-‰
@#½ ?Ö¢?r?ú„ˆ¾¢Uj¿—š§¿†/¾ƒB-¿sN’>ˆÉQ¾´1?gÕ>¡€@îu½¿.À¾Mkò?I¿¿ûÑ¹¿"´õ¾ûZ„¿ÈÿW¿?¢¾jß[¿#£¾fQº>ªU¿^Ã	Àqfé¿²“¢¾‚¦‹>,Ø»>Óá¡¿êAú=Å²?—NM?œ¡«¿£|©?æO@—·†>®¦ı<{¤¿P~'¾Oç¿Pê?Q’j?!N?61¿lP¾İ%¾
W
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equationabc,cde->abde
#
outputIdentityEinsum*
T0"ª