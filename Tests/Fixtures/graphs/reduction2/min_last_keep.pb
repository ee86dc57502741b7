
>
inputPlaceholder*
dtype0*
shape:
L
Min/reduction_indicesConst*
dtype0*
valueB:
ÿÿÿÿÿÿÿÿÿ
N
MinMininputMin/reduction_indices*

Tidx0*
T0*
	keep_dims(
 
outputIdentityMin*
T0"ª