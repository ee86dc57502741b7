
G
firstPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
H
secondPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
'
outputAddV2firstsecond*
T0"ª