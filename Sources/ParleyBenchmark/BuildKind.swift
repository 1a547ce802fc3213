// SPDX-License-Identifier: Apache-2.0

/// The kind of build of this program.
package enum BuildKind: String, Sendable {
    /// Without optimisation, so that its speed is not representative.
    case debug
    /// With optimisation.
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
