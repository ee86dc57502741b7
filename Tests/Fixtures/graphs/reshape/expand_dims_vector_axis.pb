
6
inputPlaceholder*
dtype0*
shape
:
3
ConstConst*
dtype0*
valueB:
;

ExpandDims
ExpandDimsinputConst*

Tdim0*
T0
'
outputIdentity
ExpandDims*
T0"ª