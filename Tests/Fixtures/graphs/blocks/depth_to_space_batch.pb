
>
inputPlaceholder*
dtype0*
shape:
U
DepthToSpaceDepthToSpaceinput*
T0*

block_size*
data_formatNHWC
)
outputIdentityDepthToSpace*
T0"ª