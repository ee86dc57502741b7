
>
inputPlaceholder*
dtype0*
shape:
j
Mod/yConst*
dtype0*M
valueDBB"0Zê?*™?šû¿?U‚?oÅ?¤è?·æ?°ÿ?‘+?#;§?…^ÿ?fØh?
!
ModModinputMod/y*
T0
 
outputIdentityMod*
T0"ª