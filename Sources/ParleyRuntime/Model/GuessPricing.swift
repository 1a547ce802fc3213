// SPDX-License-Identifier: Apache-2.0

/// A timeline that knows what guessed tokens cost; an optional capability.
package protocol GuessPricing: TokenTimeline {
    /// The cost of one more token in a step, relative to what a token of the reply costs without it: it rises with the
    /// number of replies that share the steps, and from 1 on no guess is worth it. Nil while it is not known.
    var guessCost: Double? { get }
}
