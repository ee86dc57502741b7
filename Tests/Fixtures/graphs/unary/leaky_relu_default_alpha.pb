
6
inputPlaceholder*
dtype0*
shape
:

	LeakyRelu	LeakyReluinput
&
outputIdentity	LeakyRelu*
T0"ª