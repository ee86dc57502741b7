
:
inputPlaceholder*
dtype0*
shape:
Z
Sub/yConst*
dtype0*=
value4B2" KØ`½Ó/(¿‚›Í>¬eƒ¾[Ã¿"÷À¿ªÜú>s²¾
!
SubSubinputSub/y*
T0
 
outputIdentitySub*
T0"ª