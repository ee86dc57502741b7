
>
inputPlaceholder*
dtype0*
shape:

SqrtSqrtinput*
T0
!
outputIdentitySqrt*
T0"ª