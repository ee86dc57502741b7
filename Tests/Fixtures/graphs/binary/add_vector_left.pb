
>
inputPlaceholder*
dtype0*
shape:
F
Add/xConst*
dtype0*)
value B"Ì¯@?š¥j?12Ê?«0ë?P0‹?
!
AddAddAdd/xinput*
T0
 
outputIdentityAdd*
T0"ª