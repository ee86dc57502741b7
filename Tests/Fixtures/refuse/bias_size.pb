
>
inputPlaceholder*
dtype0*
shape:
F
	bias/biasConst*
dtype0*%
valueB"Ã^¡¿©bä¾ÌAÀ¿y–¿
A
biasBiasAddinput	bias/bias*
T0*
data_formatNHWC
!
outputIdentitybias*
T0"ª