
>
inputPlaceholder*
dtype0*
shape:

SignSigninput*
T0
!
outputIdentitySign*
T0"ª