
>
inputPlaceholder*
dtype0*
shape:
J
Sub/xConst*
dtype0*-
value$B""@[•?ÿæ:¾sh?«55¿
!
SubSubSub/xinput*
T0
 
outputIdentitySub*
T0"ª