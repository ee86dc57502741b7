
>
inputPlaceholder*
dtype0*
shape:
3
ConstConst*
dtype0*
valueB:
9
	ReverseV2	ReverseV2inputConst*

Tidx0*
T0
&
outputIdentity	ReverseV2*
T0"ª