
>
inputPlaceholder*
dtype0*
shape:
F
block/first/yConst*
dtype0*!
valueB"ä¨½Q‰»¿üÙ¿
1
block/firstMulinputblock/first/y*
T0
G
block/second/yConst*
dtype0*!
valueB"ú|N?‹×ª¼¦®%?
;
block/secondAddV2block/firstblock/second/y*
T0
)
outputIdentityblock/second*
T0