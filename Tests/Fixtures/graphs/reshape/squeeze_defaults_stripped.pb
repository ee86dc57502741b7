
>
inputPlaceholder*
dtype0*
shape:
"
SqueezeSqueezeinput*
T0
$
outputIdentitySqueeze*
T0"ª