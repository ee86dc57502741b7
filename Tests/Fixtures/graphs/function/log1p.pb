
>
inputPlaceholder*
dtype0*
shape:

Log1pLog1pinput*
T0
"
outputIdentityLog1p*
T0"ª