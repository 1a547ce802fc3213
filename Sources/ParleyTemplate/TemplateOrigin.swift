// SPDX-License-Identifier: Apache-2.0

/// Where a piece of rendered text came from.
public enum TemplateOrigin: Hashable, Sendable {
    /// The template's author (or a constant given beside the context) wrote it: its control tokens count.
    case template
    /// It came from messages, tools and other input, or was derived from them: it is ordinary text.
    case input

    /// The origin of something made of both: input, as soon as either is.
    func joined(_ other: TemplateOrigin) -> TemplateOrigin {
        self == .input ? .input : other
    }
}
