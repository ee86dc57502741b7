
>
inputPlaceholder*
dtype0*
shape:
I
weightsConst*
dtype0**
value!Býÿÿÿÿÿÿÿÿ"Ôã/¾Šj>+À
#
MulMulinputweights*
T0
 
outputIdentityMul*
T0"ª