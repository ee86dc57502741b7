
>
inputPlaceholder*
dtype0*
shape:

AcoshAcoshinput*
T0
"
outputIdentityAcosh*
T0"ª