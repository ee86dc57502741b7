
:
inputPlaceholder*
dtype0*
shape:

ReluReluinput*
T0
!
outputIdentityRelu*
T0"ª