
>
inputPlaceholder*
dtype0*
shape:
B
Sub/xConst*
dtype0*%
valueB"“{?×l‚¿êÙ¼?
!
SubSubSub/xinput*
T0
 
outputIdentitySub*
T0"ª