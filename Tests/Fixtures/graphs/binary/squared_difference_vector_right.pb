
>
inputPlaceholder*
dtype0*
shape:
T
SquaredDifference/yConst*
dtype0*)
value B"R³ì?Qè?i‚?˜yÅ?Ýá?
K
SquaredDifferenceSquaredDifferenceinputSquaredDifference/y*
T0
.
outputIdentitySquaredDifference*
T0"ª