
>
inputPlaceholder*
dtype0*
shape:
$
RGBToHSVRGBToHSVinput*
T0
%
outputIdentityRGBToHSV*
T0"ª