
>
inputPlaceholder*
dtype0*
shape:
.
	first/oddMyCustomOperationinput*
T0
 
TanhTanh	first/odd*
T0
.

second/oddMyCustomOperationTanh*
T0
!
ReluRelu
second/odd*
T0
!
outputIdentityRelu*
T0"ª