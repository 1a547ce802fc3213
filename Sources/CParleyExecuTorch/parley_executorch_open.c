// SPDX-License-Identifier: Apache-2.0
#include "parley_executorch.h"

#ifdef PARLEY_EXECUTORCH

#include <dlfcn.h>

const parley_executorch_functions *parley_executorch_open(const char *file_name, const char **reason) {
    void *library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
    *reason = library ? NULL : dlerror();
    if (!library) return NULL;
    const parley_executorch_functions *(*interface)(void) =
        (const parley_executorch_functions *(*)(void))dlsym(library, PARLEY_EXECUTORCH_SYMBOL);
    return interface ? interface() : NULL;
}

#endif
