
>
inputPlaceholder*
dtype0*
shape:
$
	first/oddDigammainput*
T0
 
TanhTanh	first/odd*
T0
$

second/oddDigammaTanh*
T0
!
ReluRelu
second/odd*
T0
!
outputIdentityRelu*
T0"ª