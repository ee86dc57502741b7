
6
inputPlaceholder*
dtype0*
shape
:
6
	LeakyRelu	LeakyReluinput*
T0*
alpha%
×#<
&
outputIdentity	LeakyRelu*
T0"ª