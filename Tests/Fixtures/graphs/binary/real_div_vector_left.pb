
>
inputPlaceholder*
dtype0*
shape:
J
	RealDiv/xConst*
dtype0*)
value B":Òš?Ùr?‡?“À”?øk€?
-
RealDivRealDiv	RealDiv/xinput*
T0
$
outputIdentityRealDiv*
T0"ª