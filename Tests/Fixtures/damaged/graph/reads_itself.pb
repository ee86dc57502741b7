
>
imagePlaceholder*
dtype0*
shape:

aRelub*
T0

bRelua*
T0