
>
inputPlaceholder*
dtype0*
shape:
!
MulMulinputinput*
T0
 
outputIdentityMul*
T0"ª