#ifndef SOTTO_CFFMPEG_H
#define SOTTO_CFFMPEG_H
#endif
