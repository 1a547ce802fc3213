// SPDX-License-Identifier: Apache-2.0

/// A piece of rendered text of one origin.
package struct TemplateSegment: Hashable, Sendable {
    /// The text; never empty in a rendering.
    package var text: String
    /// Who wrote it.
    package var origin: TemplateOrigin

    /// Makes a segment.
    package init(text: String, origin: TemplateOrigin) {
        self.text = text
        self.origin = origin
    }
}
