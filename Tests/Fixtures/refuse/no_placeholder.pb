
B
ConstConst*
dtype0*%
valueB"a‚Û¾–dm>**†¿

outputNegConst*
T0"ª