
>
inputPlaceholder*
dtype0*
shape:
C
Max/reduction_indicesConst*
dtype0*
valueB:
N
MaxMaxinputMax/reduction_indices*

Tidx0*
T0*
	keep_dims(
 
outputIdentityMax*
T0"ª