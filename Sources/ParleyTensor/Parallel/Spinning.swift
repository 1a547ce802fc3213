// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
package import ParleySystem

/// Checks at most so many times whether a condition holds, 10 to 40 ns each.
///
/// - Returns: whether it does.
@inline(__always)
func spin(_ checks: Int, until condition: () -> Bool) -> Bool {
    for _ in 0..<checks {
        if condition() { return true }
        parley_spin_hint()
    }
    return condition()
}

extension Sleeper {
    /// Checks so many times before it sleeps, which pays where the wait is short and a core is free for it; otherwise
    /// as ``wait(until:)``.
    @discardableResult
    package func wait(spinning checks: Int, until condition: () -> Bool) -> Int {
        spin(checks, until: condition) ? 0 : wait(until: condition)
    }
}
