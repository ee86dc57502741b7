
>
inputPlaceholder*
dtype0*
shape:

tanhTanhtanh*
T0

negativeNegtanh*
T0
%
outputIdentitynegative*
T0"ª