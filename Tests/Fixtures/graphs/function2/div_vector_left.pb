
>
inputPlaceholder*
dtype0*
shape:
F
Div/xConst*
dtype0*)
value B"zk(@Dµv@\Úˆ@o@G%@
!
DivDivDiv/xinput*
T0
 
outputIdentityDiv*
T0"ª