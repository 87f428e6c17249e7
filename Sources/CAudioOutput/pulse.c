#include "CAudioOutput.h"
