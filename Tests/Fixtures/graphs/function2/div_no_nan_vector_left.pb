
>
inputPlaceholder*
dtype0*
shape:
K

DivNoNan/xConst*
dtype0*)
value B"õcd@SØB@(Žj@ÞDˆ@ù)@
0
DivNoNanDivNoNan
DivNoNan/xinput*
T0
%
outputIdentityDivNoNan*
T0"ª