
Y
inputPlaceholder*
dtype0*6
shape-:+ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ

tanhTanhinput*
T0

negativeNegtanh*
T0
%
outputIdentitynegative*
T0"ª