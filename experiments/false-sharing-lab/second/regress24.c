/*
 * The regression of regress.h: records of 64 bytes, 24 bytes behind the border of a line.
 */
#define START   24
#define RECORD  64
#define DEFAULT 4
#define FALSELY 1
#include "regress.h"
