
>
inputPlaceholder*
dtype0*
shape:
H
weightsConst*
dtype0*)
value B€€@€€@"ö,µ>äHD?!Ð‚>
#
MulMulinputweights*
T0
 
outputIdentityMul*
T0"ª