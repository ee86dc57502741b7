
>
inputPlaceholder*
dtype0*
shape:

AtanAtaninput*
T0
!
outputIdentityAtan*
T0"ª