
>
inputPlaceholder*
dtype0*
shape:
Ÿ
MaxPoolWithArgmaxMaxPoolWithArgmaxinput*
Targmax0	*
T0*
include_batch_in_index(*
ksize
*
paddingVALID*
strides

.
outputIdentityMaxPoolWithArgmax*
T0"ª