#ifndef SOTTO_CSNDFILE_H
#define SOTTO_CSNDFILE_H
#endif
