
>
inputPlaceholder*
dtype0*
shape:

tanhTanhinput*
T0
 
negativeNegtanh:3*
T0
%
outputIdentitynegative*
T0"ª