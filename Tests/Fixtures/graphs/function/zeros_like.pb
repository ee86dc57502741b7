
>
inputPlaceholder*
dtype0*
shape:
&
	ZerosLike	ZerosLikeinput*
T0
%
SubSubinput	ZerosLike*
T0
 
outputIdentitySub*
T0"ª