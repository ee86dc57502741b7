
>
inputPlaceholder*
dtype0*
shape:
K

DivNoNan/yConst*
dtype0*)
value B"«Î?œ9¾?þŠþ?f¸ú?~?
0
DivNoNanDivNoNaninput
DivNoNan/y*
T0
%
outputIdentityDivNoNan*
T0"ª