
>
inputPlaceholder*
dtype0*
shape:
F
Sub/yConst*
dtype0*)
value B"hw¿á½¿}‘ù¾–à?ÝKX<
!
SubSubinputSub/y*
T0
 
outputIdentitySub*
T0"ª