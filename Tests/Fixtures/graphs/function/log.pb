
>
inputPlaceholder*
dtype0*
shape:

LogLoginput*
T0
 
outputIdentityLog*
T0"ª