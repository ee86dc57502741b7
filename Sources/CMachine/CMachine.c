#include "CMachine.h"
