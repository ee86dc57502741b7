
>
inputPlaceholder*
dtype0*
shape:

leftTanhinput*
T0

rightNeginput*
T0"ª