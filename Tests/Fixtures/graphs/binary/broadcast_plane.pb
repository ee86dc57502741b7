
>
inputPlaceholder*
dtype0*
shape:
j
Sub/yConst*
dtype0*M
valueDBB"0ÑrŸ?võ'?‹Üá>÷F!?N÷/¿çÅ<?$•a¿&¿Ã>B¯ÿ>z£¿<Ná¾
!
SubSubinputSub/y*
T0
 
outputIdentitySub*
T0"ª