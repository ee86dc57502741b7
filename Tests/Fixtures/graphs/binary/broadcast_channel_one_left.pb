
>
inputPlaceholder*
dtype0*
shape:
F
Sub/xConst*
dtype0*)
value B"ºG>Pvß?ÈqÖ>Çì>	®?
!
SubSubSub/xinput*
T0
 
outputIdentitySub*
T0"ª