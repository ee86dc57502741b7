
>
inputPlaceholder*
dtype0*
shape:
j
Div/yConst*
dtype0*M
valueDBB"0Qâ†?
ºÆ?ƒÄµ?ÎÎ?mšş?›†Ê?)¬?{˜¶?Ô{Z?ÈÅå?¡O¡?Ğbˆ?
!
DivDivinputDiv/y*
T0
 
outputIdentityDiv*
T0"ª