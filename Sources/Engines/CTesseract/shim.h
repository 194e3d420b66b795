// Tesseract's C API for Swift.
#ifndef FRAMEGREP_CTESSERACT_H
#define FRAMEGREP_CTESSERACT_H

#include <tesseract/capi.h>

// One function of Leptonica, which Tesseract uses: its messages go to standard error unless this turns them off
// (6 is L_SEVERITY_NONE). Its headers would bring two thousand more names.
int setMsgSeverity(int severity);

#endif
