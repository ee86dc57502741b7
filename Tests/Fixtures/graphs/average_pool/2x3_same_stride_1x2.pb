
>
inputPlaceholder*
dtype0*
shape:
t
AvgPoolAvgPoolinput*
T0*
data_formatNHWC*
ksize
*
paddingSAME*
strides

$
outputIdentityAvgPool*
T0"ª