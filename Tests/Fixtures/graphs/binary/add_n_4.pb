
>
inputPlaceholder*
dtype0*
shape:

TanhTanhinput*
T0
 
SquareSquareinput*
T0
º
AddN/inputs_2Const*
dtype0*”
valueŠB‡"ð–ðé?‡ž‰¾±“¿èî(?ze¿5'Š¿II?ÐA)?}ï ¿GÆL¿˜¨D?¦*?ç?2Ž¿1•y¾zîB¿{Ï‹=‚Þv¾þz¥¿àkU?š¾õ†/?IíA¿gŒë>mš¿¿Ú¿9ü
@•®¿Êm ¼È›?—>È:[?dQ’?jpY¿µ¹Ý=GúÃ?±N¯¿XùJ¿×J½¾Ê?¿Ò˜¿¼¾v=á½ë–„>G¾g²Š?¨ˆ	ÀØj!¾eÏ­?ñp@½J|¿¯@ÕÀ*?¢O[>ï¾U?Xyt¿«ë¾©Á>…S¦?
B
AddNAddNinputTanhAddN/inputs_2Square*
N*
T0
!
outputIdentityAddN*
T0"ª