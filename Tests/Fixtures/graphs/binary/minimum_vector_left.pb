
>
inputPlaceholder*
dtype0*
shape:
J
	Minimum/xConst*
dtype0*)
value B"˜Œ?Ñ–‰?h«É?À°?QëÍ?
-
MinimumMinimum	Minimum/xinput*
T0
$
outputIdentityMinimum*
T0"ª