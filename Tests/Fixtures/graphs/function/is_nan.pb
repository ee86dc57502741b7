
>
inputPlaceholder*
dtype0*
shape:

LogLoginput*
T0

IsNanIsNanLog*
T0
&
	ZerosLike	ZerosLikeinput*
T0
6
SelectV2SelectV2IsNan	ZerosLikeinput*
T0
%
outputIdentitySelectV2*
T0"ª