// The few facts about the machine that Swift cannot ask for by itself.
#ifndef THAW_CMACHINE_H
#define THAW_CMACHINE_H
#endif
