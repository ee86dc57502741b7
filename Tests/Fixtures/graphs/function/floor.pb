
>
inputPlaceholder*
dtype0*
shape:

FloorFloorinput*
T0
"
outputIdentityFloor*
T0"ª