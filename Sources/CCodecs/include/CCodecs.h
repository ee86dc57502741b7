#ifndef THAW_CCODECS_H
#define THAW_CCODECS_H
#endif
