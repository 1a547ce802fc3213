// SPDX-License-Identifier: Apache-2.0

/// How many threads compute together.
package enum ThreadCount {
    /// The numbers that may be asked for.
    package static let range = 1...1_024

    /// The number where none is asked for: one for each core that this process may use, within ``range``.
    package static var usual: Int { usual(processors: usableProcessors()) }

    /// The number where none is asked for, on a machine with so many usable cores.
    package static func usual(processors: Int) -> Int {
        min(max(processors, range.lowerBound), range.upperBound)
    }
}
