
>
inputPlaceholder*
dtype0*
shape:
J
	Maximum/xConst*
dtype0*)
value B"Rอม?Hข฿?ซ๔?๗ม่?-เ?
-
MaximumMaximum	Maximum/xinput*
T0
$
outputIdentityMaximum*
T0"ช