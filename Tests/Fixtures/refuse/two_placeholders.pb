
>
inputPlaceholder*
dtype0*
shape:
?
secondPlaceholder*
dtype0*
shape:
&
AddV2AddV2inputsecond*
T0
"
outputIdentityAddV2*
T0"ª