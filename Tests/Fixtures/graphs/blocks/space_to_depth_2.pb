
>
inputPlaceholder*
dtype0*
shape:
U
SpaceToDepthSpaceToDepthinput*
T0*

block_size*
data_formatNHWC
)
outputIdentitySpaceToDepth*
T0"ª