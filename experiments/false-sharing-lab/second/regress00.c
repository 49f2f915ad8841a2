/*
 * The regression of regress.h: records of 64 bytes that begin at a line, so nothing is shared.
 */
#define START   0
#define RECORD  64
#define DEFAULT 2
#define FALSELY 0
#include "regress.h"
