
>
inputPlaceholder*
dtype0*
shape:

weightsConst*
dtype0
#
MulMulinputweights*
T0
 
outputIdentityMul*
T0"ª