
>
inputPlaceholder*
dtype0*
shape:
:
sum/yConst*
dtype0*
valueB"™.š>+jÀ?
#
sumAddV2inputsum/y*
T0
 
outputIdentitysum*
T0"ª