// Cairo and Pango for Swift: lines, shapes and text in any script.
#ifndef FRAMEGREP_CCAIRO_H
#define FRAMEGREP_CCAIRO_H

#include <pango/pangocairo.h>

#endif
