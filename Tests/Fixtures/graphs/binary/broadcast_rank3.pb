
:
inputPlaceholder*
dtype0*
shape:
B
Sub/yConst*
dtype0*%
valueB"d‹?Ä‰¾!^?
!
SubSubinputSub/y*
T0
 
outputIdentitySub*
T0"ª