
>
inputPlaceholder*
dtype0*
shape:

Relu6Relu6input*
T0
"
outputIdentityRelu6*
T0"ª