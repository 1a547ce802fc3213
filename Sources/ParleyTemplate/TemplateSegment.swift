// SPDX-License-Identifier: Apache-2.0

/// A piece of rendered text with one origin.
public struct TemplateSegment: Hashable, Sendable {
    /// The text; never empty in a rendering.
    public var text: String
    /// The origin of the text.
    public var origin: TemplateOrigin

    /// Makes a segment.
    public init(text: String, origin: TemplateOrigin) {
        self.text = text
        self.origin = origin
    }
}
