
2
inputPlaceholder*
dtype0*
shape:
"
SoftmaxSoftmaxinput*
T0
$
outputIdentitySoftmax*
T0"ª