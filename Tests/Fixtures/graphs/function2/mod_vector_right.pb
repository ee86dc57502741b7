
>
inputPlaceholder*
dtype0*
shape:
F
Mod/yConst*
dtype0*)
value B"†²?“­?àÂ?Òn÷?Æ
Â?
!
ModModinputMod/y*
T0
 
outputIdentityMod*
T0"ª