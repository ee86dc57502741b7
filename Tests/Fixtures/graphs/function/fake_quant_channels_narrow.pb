
>
inputPlaceholder*
dtype0*
shape:
f
%FakeQuantWithMinMaxVarsPerChannel/minConst*
dtype0*)
value B"|
ÀÛ:]¿’ÿ¿Až¿äÜ¿
f
%FakeQuantWithMinMaxVarsPerChannel/maxConst*
dtype0*)
value B"Ñ*@[ž§?Æm‚?=I?%¯1@
¿
!FakeQuantWithMinMaxVarsPerChannel!FakeQuantWithMinMaxVarsPerChannelinput%FakeQuantWithMinMaxVarsPerChannel/min%FakeQuantWithMinMaxVarsPerChannel/max*
narrow_range(*
num_bits
>
outputIdentity!FakeQuantWithMinMaxVarsPerChannel*
T0"ª