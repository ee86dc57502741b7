
>
inputPlaceholder*
dtype0*
shape:
o

FloorDiv/yConst*
dtype0*M
valueDBB"0YŒ?žÝÆ?õµ?v Õ?¼Å?72Ð?±eø?Íi?<M‚?.I?Q¿?ë÷?
0
FloorDivFloorDivinput
FloorDiv/y*
T0
%
outputIdentityFloorDiv*
T0"ª