
>
inputPlaceholder*
dtype0*
shape:

LRNLRNinput
 
outputIdentityLRN*
T0"ª