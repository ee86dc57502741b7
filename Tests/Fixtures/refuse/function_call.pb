
>
inputPlaceholder*
dtype0*
shape:
'
callPartitionedCallinput*
T0
!
outputIdentitycall*
T0"ª