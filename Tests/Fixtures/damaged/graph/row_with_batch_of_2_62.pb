
A
rowsPlaceholder*
dtype0*
shape:
€€€€€€€€@Ğúÿ

outRelurows*
T0