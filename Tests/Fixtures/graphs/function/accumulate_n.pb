
>
inputPlaceholder*
dtype0*
shape:

TanhTanhinput*
T0
Ã
AccumulateNV2/inputs_2Const*
dtype0*”
valueŠB‡"ğÖJ¼Îs>sÿ@­b5¿=·<ò…?#Ş¾ŒÏï?*ï¹¿şr¨¾.ƒÙ½ˆZÅ¿ø|œ?ü¼Ú¾J`">ãë/¿$Û¾£À¨‚£?¶õy>>$Ì¼ZXÀÕôÕ>4 >X£a?~v?†á¦¾'7+@°fã>’7¤?n?>Â9¯¿Ëó?Myq¾i½¿—Vû¾O??X0Õ>#¤q¾0ªK¿âm?+R§¿ºÎ¿ú&¸¿Œ
À#Ã¾“¹†?ªˆ¿“a¿ş
ÀH¯S>hNh¿M0)?"Æ¿iML¿w¿(¾JUÀTG¿øÖ¥>,¶—=
r
AccumulateNV2AccumulateNV2inputTanhAccumulateNV2/inputs_2*
N*
T0*
shape:
*
outputIdentityAccumulateNV2*
T0"ª