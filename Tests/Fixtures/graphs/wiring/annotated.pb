
u
inputPlaceholder"/device:CPU:0*&
_output_shapes
:*
dtype0*
shape:
U
block/first/yConst"/device:CPU:0*
dtype0*!
valueB")“ˆ¿Î(r?7„â>
@
block/firstMulinputblock/first/y"/device:CPU:0*
T0
V
block/second/yConst"/device:CPU:0*
dtype0*!
valueB"‰J>Îm>ç'?
J
block/secondAddV2block/firstblock/second/y"/device:CPU:0*
T0
8
outputIdentityblock/second"/device:CPU:0*
T0"ª