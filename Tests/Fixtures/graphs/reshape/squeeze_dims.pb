
>
inputPlaceholder*
dtype0*
shape:
9
SqueezeSqueezeinput*
T0*
squeeze_dims

$
outputIdentitySqueeze*
T0"ª