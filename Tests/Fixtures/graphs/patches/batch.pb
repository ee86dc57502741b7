
>
inputPlaceholder*
dtype0*
shape:
‰
ExtractImagePatchesExtractImagePatchesinput*
T0*
ksizes
*
paddingSAME*
rates
*
strides

0
outputIdentityExtractImagePatches*
T0"ª