
>
inputPlaceholder*
dtype0*
shape:
 
SquareSquareinput*
T0
#
outputIdentitySquare*
T0"ª