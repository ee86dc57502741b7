
>
inputPlaceholder*
dtype0*
shape:
Tanhinput*
T0

negativeNegtanh*
T0
%
outputIdentitynegative*
T0"ª