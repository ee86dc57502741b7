
>
inputPlaceholder*
dtype0*
shape:
$
SoftsignSoftsigninput*
T0
%
outputIdentitySoftsign*
T0"ª