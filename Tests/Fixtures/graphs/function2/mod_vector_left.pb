
>
inputPlaceholder*
dtype0*
shape:
F
Mod/xConst*
dtype0*)
value B" šW@*{M@1Š\@9Ö‰@K‘‚@
!
ModModMod/xinput*
T0
 
outputIdentityMod*
T0"ª