// SPDX-License-Identifier: Apache-2.0

/// How this program was built.
package enum BuildKind: String, Sendable {
    /// Without optimisation: its speed is not representative.
    case debug
    /// Optimised.
    case release

    /// The kind of the running program.
    package static var current: BuildKind {
        #if DEBUG
            .debug
        #else
            .release
        #endif
    }
}
