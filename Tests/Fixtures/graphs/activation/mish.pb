
>
inputPlaceholder*
dtype0*
shape:
$
SoftplusSoftplusinput*
T0

TanhTanhSoftplus*
T0
 
MulMulinputTanh*
T0
 
outputIdentityMul*
T0"ª