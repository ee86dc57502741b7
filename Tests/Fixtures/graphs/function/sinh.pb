
>
inputPlaceholder*
dtype0*
shape:

SinhSinhinput*
T0
!
outputIdentitySinh*
T0"ª