
>
inputPlaceholder*
dtype0*
shape:
,
thereBitcastinput*
T0*

type0
+
backBitcastthere*
T0*

type0
!
outputIdentityback*
T0"ª