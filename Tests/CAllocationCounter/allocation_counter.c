// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "allocation_counter.h"

// Sanitizers bring an allocator of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PARLEY_SANITIZED 1
#endif
#endif
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(PARLEY_SANITIZED)
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { depth = 16, places = 4096 };

struct place {
    long count;
    int frames;
    void *calls[depth];
};

static struct place table[places];
static atomic_bool counting;
static atomic_long total;
static atomic_flag table_lock = ATOMIC_FLAG_INIT;
/// Whoever walks a stack may allocate; that does not count.
static __thread bool inside __attribute__((tls_model("initial-exec")));

/// What this thread holds of what it took since it began to measure, and the most of it so far.
static __thread bool measuring __attribute__((tls_model("initial-exec")));
static __thread long held __attribute__((tls_model("initial-exec")));
static __thread long most __attribute__((tls_model("initial-exec")));

static void *taken(void *memory) {
    if (!measuring || !memory) return memory;
    held += (long)malloc_usable_size(memory);
    if (held > most) most = held;
    return memory;
}

static void given_back(void *memory) {
    if (measuring && memory) held -= (long)malloc_usable_size(memory);
}

void parley_thread_bytes_begin(void) {
    held = 0;
    most = 0;
    measuring = true;
}

long parley_thread_bytes_end(long *left) {
    measuring = false;
    *left = held;
    return most;
}

static void note_place(void) {
    // This function and the one that stands for the allocator's.
    enum { own = 2 };
    void *calls[depth + own];
    int frames = backtrace(calls, depth + own) - own;
    if (frames < 0) frames = 0;
    size_t hash = 0;
    for (int i = 0; i < frames; i++) hash = (hash ^ (size_t)calls[own + i]) * 0x9E3779B97F4A7C15u;
    while (atomic_flag_test_and_set(&table_lock)) {}
    // What finds the table full is counted, but its place is not known.
    for (size_t i = 0; i < places; i++) {
        struct place *place = &table[(hash + i) % places];
        bool same = place->frames == frames && !memcmp(place->calls, calls + own, sizeof(void *) * (size_t)frames);
        if (place->count > 0 && !same) continue;
        memcpy(place->calls, calls + own, sizeof(void *) * (size_t)frames);
        place->frames = frames;
        place->count++;
        break;
    }
    atomic_flag_clear(&table_lock);
}

static void note(void) {
    if (!atomic_load_explicit(&counting, memory_order_relaxed) || inside) return;
    inside = true;
    atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);
    note_place();
    inside = false;
}

bool parley_allocations_counted(void) { return true; }

void parley_allocations_begin(void) {
    // The first walk loads what it needs.
    void *call;
    inside = true;
    backtrace(&call, 1);
    inside = false;
    memset(table, 0, sizeof table);
    atomic_store(&total, 0);
    atomic_store(&counting, true);
}

long parley_allocations_end(void) {
    atomic_store(&counting, false);
    return atomic_load(&total);
}

void parley_allocations_report(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return;
    for (size_t i = 0; i < places; i++) {
        if (table[i].count == 0) continue;
        fprintf(file, "%ld", table[i].count);
        for (int frame = 0; frame < table[i].frames; frame++) {
            Dl_info info = {0};
            char *call = table[i].calls[frame];
            if (dladdr(call, &info) == 0) info.dli_fname = "?";
            fprintf(file, "\t%s+%zx", info.dli_fname, (size_t)(call - (char *)info.dli_fbase));
        }
        fputc('\n', file);
    }
    fclose(file);
}

__attribute__((constructor)) static void begin_with_process(void) {
    if (getenv("PARLEY_ALLOCATIONS")) parley_allocations_begin();
}

__attribute__((destructor)) static void report_at_exit(void) {
    const char *path = getenv("PARLEY_ALLOCATIONS");
    if (!path) return;
    parley_allocations_end();
    parley_allocations_report(path);
}

// The allocator: https://www.gnu.org/software/libc/manual/html_node/Replacing-malloc.html.

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size) {
    note();
    return taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    note();
    return taken(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size) {
    note();
    long before = measuring && memory ? (long)malloc_usable_size(memory) : 0;
    void *result = __libc_realloc(memory, size);
    // While it is copied, the memory is there twice.
    taken(result);
    if (result || size == 0) held -= before;
    return result;
}

void *memalign(size_t alignment, size_t size) {
    note();
    return taken(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return taken(__libc_memalign(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note();
    void *result = __libc_memalign(alignment, size);
    if (!result) return ENOMEM;
    *memory = taken(result);
    return 0;
}

void free(void *memory) {
    given_back(memory);
    __libc_free(memory);
}
#else
bool parley_allocations_counted(void) { return false; }
void parley_allocations_begin(void) {}
long parley_allocations_end(void) { return 0; }
void parley_allocations_report(const char *path) { (void)path; }
void parley_thread_bytes_begin(void) {}
long parley_thread_bytes_end(long *left) {
    *left = 0;
    return 0;
}
#endif
