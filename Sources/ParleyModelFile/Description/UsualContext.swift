// SPDX-License-Identifier: Apache-2.0

/// The default context length, used by the engines, by the check whether a model fits in memory, and by the catalog's
/// estimates.
package enum UsualContext {
    /// The length in tokens; models that were trained with a shorter context use that instead.
    package static let tokens = 8_192
}
