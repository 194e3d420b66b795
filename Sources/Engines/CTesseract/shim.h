// Tesseract's C API for Swift.
#ifndef FRAMEGREP_CTESSERACT_H
#define FRAMEGREP_CTESSERACT_H

#include <tesseract/capi.h>

// Of Leptonica, which Tesseract stands on, one function: its messages go to standard error unless it is told not to
// (6 is L_SEVERITY_NONE). Its headers would bring two thousand more names.
int setMsgSeverity(int severity);

#endif
