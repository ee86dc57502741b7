
>
inputPlaceholder*
dtype0*
shape:
~
patchesExtractImagePatchesinput*
T0*
ksizes
*
paddingVALID*
rates
*
strides

$
outputIdentitypatches*
T0"ª