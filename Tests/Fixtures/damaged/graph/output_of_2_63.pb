
>
imagePlaceholder*
dtype0*
shape:

callBestimage

outRelucall*
T0n
l

Best
x
y
bestTopKV2x-
endRelu best:indices:9223372036854775807"
yend:activations:0