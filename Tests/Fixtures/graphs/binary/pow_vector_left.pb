
>
inputPlaceholder*
dtype0*
shape:
F
Pow/xConst*
dtype0*)
value B"ΩGï??|ã?ì.o?Uùs?L4?
!
PowPowPow/xinput*
T0
 
outputIdentityPow*
T0"™