/*
 * The regression of regress.h: records of 64 bytes, 56 bytes behind the border of a line.
 */
#define START   56
#define RECORD  64
#define DEFAULT 8
#define FALSELY 1
#include "regress.h"
