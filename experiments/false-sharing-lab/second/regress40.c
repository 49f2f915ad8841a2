/*
 * The regression of regress.h: records of 64 bytes, 40 bytes behind the border of a line.
 */
#define START   40
#define RECORD  64
#define DEFAULT 2
#define FALSELY 1
#include "regress.h"
