
>
inputPlaceholder*
dtype0*
shape:
;
weightsConst*
dtype0*
valueBBaBbBc
#
MulMulinputweights*
T0
 
outputIdentityMul*
T0"ª