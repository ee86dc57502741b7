
:
inputPlaceholder*
dtype0*
shape:
@
UnpackUnpackinput*
T0*
axisÿÿÿÿÿÿÿÿÿ*	
num
Y
PackPackUnpack:3Unpack:2Unpack:1Unpack*
N*
T0*
axisÿÿÿÿÿÿÿÿÿ
!
outputIdentityPack*
T0"ª