// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// This limit of time; nil for one of 2^30 seconds (34 years) or more, which is none: clocks that add it to their time
    /// may overflow and trap.
    package var foreseeable: Duration? { self < .seconds(1 << 30) ? self : nil }
}
