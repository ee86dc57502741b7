
>
inputPlaceholder*
dtype0*
shape:
J
	Maximum/yConst*
dtype0*)
value B"?Vó³?ÕE=?Àñ?/o€?
-
MaximumMaximuminput	Maximum/y*
T0
$
outputIdentityMaximum*
T0"ª