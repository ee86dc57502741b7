
>
inputPlaceholder*
dtype0*
shape:
$
HSVToRGBHSVToRGBinput*
T0
%
outputIdentityHSVToRGB*
T0"ª