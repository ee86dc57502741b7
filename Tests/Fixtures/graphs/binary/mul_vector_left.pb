
>
inputPlaceholder*
dtype0*
shape:
F
Mul/xConst*
dtype0*)
value B"x«D?¯ê?ùæ›?|=˜?ÉÇb?
!
MulMulMul/xinput*
T0
 
outputIdentityMul*
T0"ª