
>
inputPlaceholder*
dtype0*
shape:
?

flat/shapeConst*
dtype0*
valueB"þÿÿÿÊÿÿÿ
9
flatReshapeinput
flat/shape*
Tshape0*
T0
!
outputIdentityflat*
T0"ª