
>
inputPlaceholder*
dtype0*
shape:
P
weightsConst*
dtype0*1
value(B&
€€€€€€€€@"‚¿©…¶?6Ô?
#
MulMulinputweights*
T0
 
outputIdentityMul*
T0"ª