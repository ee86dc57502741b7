
>
inputPlaceholder*
dtype0*
shape:
F
Div/yConst*
dtype0*)
value B"%zÊ?J{þ?Óš?k§F?}b?
!
DivDivinputDiv/y*
T0
 
outputIdentityDiv*
T0"ª