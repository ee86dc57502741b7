
>
inputPlaceholder*
dtype0*
shape:
J
Sub/yConst*
dtype0*-
value$B""Œ¨†>"—?([×>P{4>
!
SubSubinputSub/y*
T0
 
outputIdentitySub*
T0"ª