
>
inputPlaceholder*
dtype0*
shape:
F
Add/yConst*
dtype0*)
value B"t—?ÿÄë?Aşª??,?ê’Á?
!
AddAddinputAdd/y*
T0
 
outputIdentityAdd*
T0"ª