// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
package import ParleySystem

/// Checks a condition up to `checks` times, 10 to 40 ns each, until it holds.
///
/// - Returns: whether the condition holds.
@inline(__always)
func spin(_ checks: Int, until condition: () -> Bool) -> Bool {
    for _ in 0..<checks {
        if condition() { return true }
        parley_spin_hint()
    }
    return condition()
}

extension Sleeper {
    /// Checks the condition up to `checks` times before it sleeps as ``wait(until:)`` does; this is faster if the wait
    /// is short and a core is free.
    @discardableResult
    package func wait(spinning checks: Int, until condition: () -> Bool) -> Int {
        spin(checks, until: condition) ? 0 : wait(until: condition)
    }
}
