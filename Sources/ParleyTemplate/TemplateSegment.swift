// SPDX-License-Identifier: Apache-2.0

/// A piece of rendered text with one origin.
package struct TemplateSegment: Hashable, Sendable {
    /// The text; never empty in a rendering.
    package var text: String
    /// The origin of the text.
    package var origin: TemplateOrigin

    /// Makes a segment.
    package init(text: String, origin: TemplateOrigin) {
        self.text = text
        self.origin = origin
    }
}
