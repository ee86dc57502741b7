
G
inputPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
I
Square/xConst*
dtype0*)
value B"¨¡>x|?™N¹?ýä>ÞpÐ¼
#
SquareSquareSquare/x*
T0

SqrtSqrtSquare*
T0

NegNegSqrt*
T0

ExpExpNeg*
T0

MulMulinputExp*
T0
 
outputIdentityMul*
T0"ª