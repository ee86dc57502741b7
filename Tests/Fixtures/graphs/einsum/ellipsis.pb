
:
inputPlaceholder*
dtype0*
shape:

Einsum/inputs_1Const*
dtype0*i
value`B^"P•§K?8Pê>«A¿#€¾88®?Ø»?éf>$]¶?~I¾¬û??»±¿ÔÊ? @µ¿yÄÂ¿ëõî>ãÃÈ>ÿ`¯¾¨\»¿>Äˆ?Ó<‘¾
W
EinsumEinsuminputEinsum/inputs_1*
N*
T0*
equation...k,kl->...l
#
outputIdentityEinsum*
T0"ª