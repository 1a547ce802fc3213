// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Dispatch
package import ParleySystem

/// Waiting by checking a condition again and again, for a time that is the same on every processor.
///
/// A check takes about 1 ns on ARM processors, 10 to 30 ns on AMD's and 50 ns on Intel's since 2017, so that a number of
/// checks that is right on one processor wastes whole time slices on another.
package enum Spinning {
    /// How long a check takes, in nanoseconds: the shortest of several measurements, since other programs may run
    /// meanwhile.
    private static let checkTime: Double = {
        let checks = 1_000
        let times = (0..<5).map { _ in
            let began = DispatchTime.now().uptimeNanoseconds
            for _ in 0..<checks { parley_spin_hint() }
            return DispatchTime.now().uptimeNanoseconds - began
        }
        return max(Double(times.min() ?? 0) / Double(checks), 0.5)
    }()

    /// The number of checks that take a time in nanoseconds.
    package static func checks(in nanoseconds: Int) -> Int { Int(Double(nanoseconds) / checkTime) }

    /// The time in nanoseconds that a number of checks takes.
    package static func time(of checks: Int) -> Int { Int(Double(checks) * checkTime) }
}

/// Checks a condition up to `checks` times until it holds; see ``Spinning/checks(in:)``.
///
/// - Returns: whether the condition holds.
@inline(__always)
func spin(_ checks: Int, until condition: () -> Bool) -> Bool {
    countingSpin(checks, until: condition) != nil
}

/// Checks a condition up to `checks` times until it holds; see ``Spinning/checks(in:)``.
///
/// - Returns: how often it did not hold; nil if it still does not.
@inline(__always)
func countingSpin(_ checks: Int, until condition: () -> Bool) -> Int? {
    for count in 0..<checks {
        if condition() { return count }
        parley_spin_hint()
    }
    return condition() ? checks : nil
}

extension Sleeper {
    /// Checks the condition up to `checks` times before it sleeps as ``wait(until:)`` does; this is faster if the wait
    /// is short and a core is free.
    @discardableResult
    package func wait(spinning checks: Int, until condition: () -> Bool) -> Int {
        spin(checks, until: condition) ? 0 : wait(until: condition)
    }
}
