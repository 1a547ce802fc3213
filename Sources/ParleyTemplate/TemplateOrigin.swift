// SPDX-License-Identifier: Apache-2.0

/// The origin of a piece of rendered text.
package enum TemplateOrigin: Hashable, Sendable {
    /// The template, or one of the constants: its control tokens are recognised.
    case template
    /// Messages, tools and other input, or text derived from them: it is ordinary text.
    case input

    /// The origin of text made from both: input, if either is input.
    func joined(_ other: TemplateOrigin) -> TemplateOrigin {
        self == .input ? .input : other
    }
}
