
>
inputPlaceholder*
dtype0*
shape:
9
FakeQuantWithMinMaxArgsFakeQuantWithMinMaxArgsinput
4
outputIdentityFakeQuantWithMinMaxArgs*
T0"ª