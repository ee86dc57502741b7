
>
inputPlaceholder*
dtype0*
shape:
>
	hue/deltaConst*
dtype0*
valueB"ÍÌÌ=ÍÌL>
+
hue	AdjustHueinput	hue/delta*
T0
 
outputIdentityhue*
T0"ª