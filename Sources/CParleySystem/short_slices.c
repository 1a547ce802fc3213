// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "parley_system.h"

#if defined(__linux__)
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The first version of the kernel's structure (include/uapi/linux/sched/types.h), which C libraries did not declare
/// for a long time.
typedef struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;  // for ordinary threads: the length of a time slice in nanoseconds, 100,000 at least
    uint64_t deadline;
    uint64_t period;
} scheduling;

bool parley_ask_for_short_slices(void) {
    scheduling now = {.size = sizeof now};
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0) return false;
    // Other policies than the ordinary one (0) read more from the structure, or mean something else by it.
    if (now.policy != 0) return false;
    scheduling wanted = {.size = sizeof wanted, .nice = now.nice, .runtime = 100000};
    return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
}
#else
bool parley_ask_for_short_slices(void) { return false; }
#endif
