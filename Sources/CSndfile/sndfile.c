#include "CSndfile.h"
