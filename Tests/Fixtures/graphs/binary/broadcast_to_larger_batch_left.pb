
:
inputPlaceholder*
dtype0*
shape:
Z
Sub/xConst*
dtype0*=
value4B2" l%Õ½!î!?´9>Ä¿:/>¬r?y¯:?=.µ¿
!
SubSubSub/xinput*
T0
 
outputIdentitySub*
T0"ª