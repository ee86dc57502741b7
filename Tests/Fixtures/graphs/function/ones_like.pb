
>
inputPlaceholder*
dtype0*
shape:
$
OnesLikeOnesLikeinput*
T0
$
SubSubinputOnesLike*
T0
 
outputIdentitySub*
T0"ª