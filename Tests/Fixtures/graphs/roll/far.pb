
6
inputPlaceholder*
dtype0*
shape
:
<
ConstConst*
dtype0*
valueB:
ïÿÿÿÿÿÿÿÿ
5
Const_1Const*
dtype0*
valueB:
G
RollRollinputConstConst_1*
Taxis0*
Tshift0*
T0
!
outputIdentityRoll*
T0"ª