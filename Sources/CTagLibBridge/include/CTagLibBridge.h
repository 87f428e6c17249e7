/// The half of the door to TagLib that is C++: a shared library of its own, which exports this one
/// function.
#ifndef SOTTO_CTAGLIB_BRIDGE_H
#define SOTTO_CTAGLIB_BRIDGE_H

struct sotto_taglib;

#ifdef __cplusplus
extern "C"
#endif
/// The functions; NULL where this was built without TagLib.
__attribute__((visibility("default"))) const struct sotto_taglib *sotto_taglib_table(void);

#endif
