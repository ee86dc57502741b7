
>
inputPlaceholder*
dtype0*
shape:
%
AddNAddNinput*
N*
T0
!
outputIdentityAddN*
T0"ª