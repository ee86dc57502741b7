
>
inputPlaceholder*
dtype0*
shape:
C
Sum/reduction_indicesConst*
dtype0*
valueB:
N
SumSuminputSum/reduction_indices*

Tidx0*
T0*
	keep_dims(
 
outputIdentitySum*
T0"ª