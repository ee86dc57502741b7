
:
inputPlaceholder*
dtype0*
shape:
$
IdentityIdentityinput*
T0
/
StopGradientStopGradientIdentity*
T0
P
CheckNumericsCheckNumericsStopGradient*
T0*
messagenot a number
*
outputIdentityCheckNumerics*
T0"ª