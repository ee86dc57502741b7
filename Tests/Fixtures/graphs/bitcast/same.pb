
>
inputPlaceholder*
dtype0*
shape:
.
BitcastBitcastinput*
T0*

type0
$
outputIdentityBitcast*
T0"ª