
>
inputPlaceholder*
dtype0*
shape:

CeilCeilinput*
T0
!
outputIdentityCeil*
T0"ª