
>
inputPlaceholder*
dtype0*
shape:
r
poolAvgPoolinput*
T0*
data_formatNHWC*
ksize
*
paddingVALID*
strides

!
outputIdentitypool*
T0"ª