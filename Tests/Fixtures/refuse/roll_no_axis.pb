
>
inputPlaceholder*
dtype0*
shape:
8

roll/shiftConst*
dtype0*
valueB:
7
	roll/axisConst*
dtype0*
valueB:
N
rollRollinput
roll/shift	roll/axis*
Taxis0*
Tshift0*
T0
!
outputIdentityroll*
T0"ª