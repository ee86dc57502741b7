
G
constantConst*
dtype0*'
valueB-0Ú_¿-!>-då›¾-æ¼
:
inputPlaceholder*
dtype0*
shape:
(
AddV2AddV2inputconstant*
T0
"
outputIdentityAddV2*
T0"ª