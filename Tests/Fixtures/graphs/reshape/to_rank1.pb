
>
inputPlaceholder*
dtype0*
shape:
D
Reshape/shapeConst*
dtype0*
valueB:
ÿÿÿÿÿÿÿÿÿ
?
ReshapeReshapeinputReshape/shape*
Tshape0*
T0
$
outputIdentityReshape*
T0"ª