
:
inputPlaceholder*
dtype0*
shape:
œ
AddV2/yConst*
dtype0*}
valuetBr"`™EÈ>‹ò™¾—-î?1]•>!ç¶½Å@µ>–ßµ?do?Bé¾,µ5>±!¿Åî¼ùûW¾ù? z”?qMµ?zÉÏ¾–N÷¿“Œ‰?[§Â>Ù¿QÿW¿:“B?'É¾>
'
AddV2AddV2inputAddV2/y*
T0
"
outputIdentityAddV2*
T0"ª