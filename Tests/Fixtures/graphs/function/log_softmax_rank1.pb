
2
inputPlaceholder*
dtype0*
shape:
(

LogSoftmax
LogSoftmaxinput*
T0
'
outputIdentity
LogSoftmax*
T0"ª