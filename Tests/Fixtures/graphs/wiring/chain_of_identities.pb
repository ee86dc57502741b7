
>
inputPlaceholder*
dtype0*
shape:

NegNeginput*
T0
"
IdentityIdentityNeg*
T0
)

Identity_1IdentityIdentity*
T0
+

Identity_2Identity
Identity_1*
T0
'
outputIdentity
Identity_2*
T0"ª