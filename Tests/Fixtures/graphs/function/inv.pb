
>
inputPlaceholder*
dtype0*
shape:

InvInvinput*
T0
 
outputIdentityInv*
T0"ª