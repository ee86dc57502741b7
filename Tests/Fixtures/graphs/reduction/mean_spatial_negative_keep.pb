
>
inputPlaceholder*
dtype0*
shape:
K
Mean/reduction_indicesConst*
dtype0*
valueB"ýÿÿÿþÿÿÿ
Q
MeanMeaninputMean/reduction_indices*

Tidx0*
T0*
	keep_dims(
!
outputIdentityMean*
T0"ª