
:
inputPlaceholder*
dtype0*
shape:
M
BiasAdd/biasConst*
dtype0*)
value B"D¹ ¿ˆ$?â¯	?ºà>µU¿
G
BiasAddBiasAddinputBiasAdd/bias*
T0*
data_formatNHWC
$
outputIdentityBiasAdd*
T0"ª