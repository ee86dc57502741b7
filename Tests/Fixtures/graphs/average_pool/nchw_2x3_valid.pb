
>
inputPlaceholder*
dtype0*
shape:
u
AvgPoolAvgPoolinput*
T0*
data_formatNCHW*
ksize
*
paddingVALID*
strides

$
outputIdentityAvgPool*
T0"ª