
>
inputPlaceholder*
dtype0*
shape:

RsqrtRsqrtinput*
T0
"
outputIdentityRsqrt*
T0"ª