
>
inputPlaceholder*
dtype0*
shape:
L
SqueezeSqueezeinput*
T0*(
squeeze_dims
þÿÿÿÿÿÿÿÿýÿÿÿÿÿÿÿÿ
$
outputIdentitySqueeze*
T0"ª