
6
inputPlaceholder*
dtype0*
shape
:

EluEluinput*
T0
 
outputIdentityElu*
T0"ª