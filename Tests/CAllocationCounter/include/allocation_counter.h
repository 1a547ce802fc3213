// SPDX-License-Identifier: Apache-2.0
#ifndef PARLEY_ALLOCATION_COUNTER_H
#define PARLEY_ALLOCATION_COUNTER_H

#include <stdbool.h>

/// Counts every allocation of the process, on all threads, from where it comes. It stands before the allocator of
/// glibc; on other systems nothing is counted.
///
/// Linked into a program, it counts between `parley_allocations_begin` and `parley_allocations_end`. Loaded with
/// LD_PRELOAD (Benchmarks/count-allocations), it counts from the first to the last where PARLEY_ALLOCATIONS names a
/// file for the report.

/// Whether allocations can be counted here.
bool parley_allocations_counted(void);

/// Starts to count from 0.
void parley_allocations_begin(void);

/// Stops; returns how many allocations there were.
long parley_allocations_end(void);

/// Starts to measure the memory that this thread takes and gives back.
void parley_thread_bytes_begin(void);

/// Stops; returns the most that this thread held at once, in bytes, and in `left` what it still holds. Memory of before
/// that was given back in between counts against what was taken.
long parley_thread_bytes_end(long *left);

/// Writes a line for each place: how often, and the calls that led there, innermost first, as `file+offset`.
void parley_allocations_report(const char *path);

#endif
