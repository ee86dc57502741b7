
>
inputPlaceholder*
dtype0*
shape:
(

Reciprocal
Reciprocalinput*
T0
'
outputIdentity
Reciprocal*
T0"ª