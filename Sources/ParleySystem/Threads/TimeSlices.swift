// SPDX-License-Identifier: Apache-2.0

import CParleySystem

/// The time slices that the system's scheduler gives a thread.
package enum TimeSlices {
    /// Asks for short time slices for the calling thread, which then gets its core sooner when it wakes; its share of
    /// the core stays the same.
    ///
    /// Threads that wait for each other many times a millisecond need that beside busy programs. Linux 6.12 and later
    /// do it; other systems do nothing.
    ///
    /// - Returns: whether the system took the request.
    @discardableResult
    package static func askForShort() -> Bool { parley_ask_for_short_slices() }
}
