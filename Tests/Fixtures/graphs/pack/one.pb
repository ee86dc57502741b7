
6
inputPlaceholder*
dtype0*
shape
:
1
PackPackinput*
N*
T0*

axis
!
outputIdentityPack*
T0"ª