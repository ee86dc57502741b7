
>
inputPlaceholder*
dtype0*
shape:

DepthwiseConv2dNative/filterConst*
dtype0*i
value`B^"H|‚K?JÅ?<Q¾%œ¿7X@$ÿñ?J@8a¿¯`Î>``°¿ixÂ=îÁ>ùç?#q/¿»PP¿
=í²?/Ä=
„
DepthwiseConv2dNativeDepthwiseConv2dNativeinputDepthwiseConv2dNative/filter*
T0*
paddingSAME*
strides

2
outputIdentityDepthwiseConv2dNative*
T0"ª