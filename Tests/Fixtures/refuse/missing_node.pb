
>
inputPlaceholder*
dtype0*
shape:

negativeNegtanh*
T0
%
outputIdentitynegative*
T0"ª