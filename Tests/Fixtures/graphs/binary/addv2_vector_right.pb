
>
inputPlaceholder*
dtype0*
shape:
H
AddV2/yConst*
dtype0*)
value B";â?¬¯?´^½?A­û?ÀUÂ?
'
AddV2AddV2inputAddV2/y*
T0
"
outputIdentityAddV2*
T0"ª