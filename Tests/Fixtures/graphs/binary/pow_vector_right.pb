
>
inputPlaceholder*
dtype0*
shape:
F
Pow/yConst*
dtype0*)
value B"СХш?;Ш?Дђw?3K?µ\{?
!
PowPowinputPow/y*
T0
 
outputIdentityPow*
T0"Є