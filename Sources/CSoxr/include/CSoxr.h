#ifndef SOTTO_CSOXR_H
#define SOTTO_CSOXR_H
#endif
