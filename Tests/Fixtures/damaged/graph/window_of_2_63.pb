
>
imagePlaceholder*
dtype0*
shape:
s
poolMaxPoolimage*
T0*!
ksize
ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
strides
ÿÿÿÿÿÿÿÿ*
paddingVALID