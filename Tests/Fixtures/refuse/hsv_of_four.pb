
>
inputPlaceholder*
dtype0*
shape:

hueRGBToHSVinput*
T0
 
outputIdentityhue*
T0"ª