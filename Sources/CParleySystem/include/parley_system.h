// SPDX-License-Identifier: Apache-2.0
//
// What ParleySystem asks of Linux that Swift cannot call.

#ifndef PARLEY_SYSTEM_H
#define PARLEY_SYSTEM_H

#include <stdbool.h>

/// Asks the scheduler for short time slices for the calling thread: a thread with a shorter slice gets its core sooner
/// when it wakes, and its share of the core stays the same. Linux honours this since 6.12; elsewhere it does nothing.
///
/// Returns whether the system took the request.
bool parley_ask_for_short_slices(void);

#endif
