
>
inputPlaceholder*
dtype0*
shape:

ExpExpinput*
T0
 
outputIdentityExp*
T0"ª