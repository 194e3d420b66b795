// Tesseract's C API for Swift.
#ifndef FRAMEGREP_CTESSERACT_H
#define FRAMEGREP_CTESSERACT_H

#include <tesseract/capi.h>

#endif
