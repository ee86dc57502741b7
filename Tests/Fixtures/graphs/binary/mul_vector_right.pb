
>
inputPlaceholder*
dtype0*
shape:
F
Mul/yConst*
dtype0*)
value B"±âû?æÔõ?¶»?3VŞ?u€Ñ?
!
MulMulinputMul/y*
T0
 
outputIdentityMul*
T0"ª