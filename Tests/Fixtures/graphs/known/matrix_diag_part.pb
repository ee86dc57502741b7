
:
inputPlaceholder*
dtype0*
shape:
0
MatrixDiagPartMatrixDiagPartinput*
T0
+
outputIdentityMatrixDiagPart*
T0"ª