
>
inputPlaceholder*
dtype0*
shape:
R
IdentityN/input_1Const*
dtype0*)
value B"y;ð¿Zñ?˜³(?â‰Q?\ð¹¾
R
IdentityN/input_2Const*
dtype0*)
value B"t§?¥cÐ?êù¡?oˆÔ?]Â^?
R
IdentityN/input_3Const*
dtype0*)
value B"zÝ¿H–Ç?ŒO\ÀúáË¿¨«?
R
IdentityN/input_4Const*
dtype0*)
value B"Æf @Ýâß¿XG¿¾ð?;hÃ?
Å
	IdentityN BatchNormWithGlobalNormalizationinputIdentityN/input_1IdentityN/input_2IdentityN/input_3IdentityN/input_4*
T0*
scale_after_normalization(*
variance_epsilon%
×#<
&
outputIdentity	IdentityN*
T0"