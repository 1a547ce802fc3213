// SPDX-License-Identifier: Apache-2.0

extension Tokenizer {
    /// The tokens of a prompt to fill in the middle of a text: what is before it, what is after it, and where it begins.
    public struct FillInMiddle: Sendable, Hashable {
        /// Comes before the text that precedes the gap.
        public var prefix: TokenID
        /// Comes before the text that follows the gap.
        public var suffix: TokenID
        /// Comes last; the model writes what is in the gap.
        public var middle: TokenID
    }

    /// The tokens to fill in the middle of a text; nil if the model has none.
    public var fillInMiddle: FillInMiddle? {
        func token(_ spellings: [String]) -> TokenID? {
            spellings.compactMap { id(ofSpelling: $0) }.first { isControl($0) }
        }
        guard let prefix = token(WellKnownTokens.prefix), let suffix = token(WellKnownTokens.suffix),
            let middle = token(WellKnownTokens.middle)
        else { return nil }
        return FillInMiddle(prefix: prefix, suffix: suffix, middle: middle)
    }
}
