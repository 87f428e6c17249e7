#include "CBinding.h"

#include <dlfcn.h>

bool sotto_bind(const char *soname, const sotto_binding *functions, size_t count) {
  // Local: two libraries may have functions of one name.
  void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return false;
  for (size_t index = 0; index < count; index++) {
    void *function = dlsym(handle, functions[index].name);
    if (function == NULL) {
      dlclose(handle);
      return false;
    }
    *(void **)functions[index].slot = function;
  }
  return true;
}
