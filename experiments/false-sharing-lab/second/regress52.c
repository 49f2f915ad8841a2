/*
 * The regression of regress.h: records of 52 bytes, at every place of a line.
 */
#define START   0
#define RECORD  52
#define DEFAULT 16
#define FALSELY 1
#include "regress.h"
