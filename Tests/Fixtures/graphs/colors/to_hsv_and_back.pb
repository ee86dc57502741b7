
>
inputPlaceholder*
dtype0*
shape:
$
RGBToHSVRGBToHSVinput*
T0
'
HSVToRGBHSVToRGBRGBToHSV*
T0
%
outputIdentityHSVToRGB*
T0"ª