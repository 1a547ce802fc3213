// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The kinds of image files that models see.
package enum ImageKind: String, Hashable, Sendable {
    case jpeg, png

    /// The kind of a file by its first 8 bytes; nil for one that is no image that models see.
    package init?(_ content: Data) {
        if content.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            return nil
        }
    }

    /// The media type.
    package var mediaType: String { "image/\(rawValue)" }
}
