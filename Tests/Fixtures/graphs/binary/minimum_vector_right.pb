
>
inputPlaceholder*
dtype0*
shape:
J
	Minimum/yConst*
dtype0*)
value B"eðZ??©­?ê2Á?zê?‚†½?
-
MinimumMinimuminput	Minimum/y*
T0
$
outputIdentityMinimum*
T0"ª