
>
imagePlaceholder*
dtype0*
shape:
l
poolMaxPoolimage*
T0*
ksize
*%
strides
ÿÿÿÿÿÿÿÿÿ€€€€€€€€€*
paddingSAME