
>
inputPlaceholder*
dtype0*
shape:
M
BiasAdd/biasConst*
dtype0*)
value B"ÜÔ>@w¾fßŞ¾,ğÁ¾Œ¸—¿
0
BiasAddBiasAddinputBiasAdd/bias*
T0
$
outputIdentityBiasAdd*
T0"ª