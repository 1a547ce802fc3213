// SPDX-License-Identifier: Apache-2.0

/// Where a piece of rendered text came from.
package enum TemplateOrigin: Hashable, Sendable {
    /// It comes from the template (or a constant given beside the context): its control tokens count.
    case template
    /// It comes from messages, tools and other input, or was derived from them: it is ordinary text.
    case input

    /// The origin of text made of both: input, if either is.
    func joined(_ other: TemplateOrigin) -> TemplateOrigin {
        self == .input ? .input : other
    }
}
