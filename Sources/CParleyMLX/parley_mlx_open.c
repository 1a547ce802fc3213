// SPDX-License-Identifier: Apache-2.0
#include "parley_mlx.h"

#ifdef PARLEY_MLX

#include <dlfcn.h>

const parley_mlx_functions *parley_mlx_open(const char *file_name, const char **reason) {
    void *library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
    *reason = library ? NULL : dlerror();
    if (!library) return NULL;
    const parley_mlx_functions *(*interface)(void) =
        (const parley_mlx_functions *(*)(void))dlsym(library, PARLEY_MLX_SYMBOL);
    return interface ? interface() : NULL;
}

#endif
