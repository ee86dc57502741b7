#include "thaw.h"
