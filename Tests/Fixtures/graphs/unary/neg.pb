
>
inputPlaceholder*
dtype0*
shape:

NegNeginput*
T0
 
outputIdentityNeg*
T0"ª