// SPDX-License-Identifier: Apache-2.0

/// The context that is assumed where none is asked for: by the engines, by the check whether a model fits, and by the
/// catalog's estimates.
package enum UsualContext {
    /// Its length in tokens. Models that were trained for less get their trained context.
    package static let tokens = 8_192
}
