
>
inputPlaceholder*
dtype0*
shape:
H
AddV2/xConst*
dtype0*)
value B"0ì?iÎ?ÓEž?z¬Ÿ?rèì?
'
AddV2AddV2AddV2/xinput*
T0
"
outputIdentityAddV2*
T0"ª