
>
inputPlaceholder*
dtype0*
shape:
$
SoftplusSoftplusinput*
T0
%
outputIdentitySoftplus*
T0"ª