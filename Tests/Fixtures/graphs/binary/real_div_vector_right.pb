
>
inputPlaceholder*
dtype0*
shape:
J
	RealDiv/yConst*
dtype0*)
value B"}™?/«å?-?ÏÀı? \?
-
RealDivRealDivinput	RealDiv/y*
T0
$
outputIdentityRealDiv*
T0"ª