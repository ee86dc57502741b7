
:
inputPlaceholder*
dtype0*
shape:
7
UnpackUnpackinput*
T0*

axis*	
num
F
PackPackUnpack:2Unpack:1Unpack*
N*
T0*

axis
!
outputIdentityPack*
T0"ª