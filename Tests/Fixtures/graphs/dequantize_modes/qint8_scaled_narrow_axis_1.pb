
:
inputPlaceholder*
dtype0*
shape:
B
ConstConst*
dtype0*%
valueB"²GÌ$_M1z†ýþ
Q
Dequantize/min_rangeConst*
dtype0*%
valueB"Û
§¿Ý1ì¿Jóx¿a†)¿
Q
Dequantize/max_rangeConst*
dtype0*%
valueB"Ë¸·?‰o?¤Ù? í
?
“

Dequantize
DequantizeConstDequantize/min_rangeDequantize/max_range*
T0*

axis*
dtype0*
modeSCALED*
narrow_range(
*
AddV2AddV2input
Dequantize*
T0
"
outputIdentityAddV2*
T0"ª