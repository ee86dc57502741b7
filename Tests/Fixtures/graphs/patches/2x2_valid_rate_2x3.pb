
>
inputPlaceholder*
dtype0*
shape:
Š
ExtractImagePatchesExtractImagePatchesinput*
T0*
ksizes
*
paddingVALID*
rates
*
strides

0
outputIdentityExtractImagePatches*
T0"ª