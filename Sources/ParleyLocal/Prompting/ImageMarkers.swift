// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTokenizer

/// Texts that stand for the images of a prompt while a template places them.
///
/// They are made anew for each prompt, so that nobody can write one.
struct ImageMarkers: Sendable {
    private let nonce = UUID().uuidString

    /// A piece of a rendered prompt.
    enum Piece: Sendable, Hashable {
        case text([TextSegment])
        case image(Data)
    }

    /// The images, in the order in which they were written.
    private let images: [Data]

    init(_ images: [Data]) {
        self.images = images
    }

    /// What stands for an image; nil where it is none of the prompt's.
    func marker(of image: Data) -> String? {
        images.firstIndex(of: image).map { "\(opening)\($0)\(closing)" }
    }

    /// Cuts a rendered prompt at its images.
    func pieces(of segments: [TextSegment]) -> [Piece] {
        var pieces: [Piece] = []
        var text: [TextSegment] = []
        for segment in segments {
            var rest = segment.text[...]
            while let range = rest.range(of: opening), let end = rest[range.upperBound...].range(of: closing),
                let number = Int(rest[range.upperBound..<end.lowerBound]), images.indices.contains(number)
            {
                text.append(TextSegment(String(rest[..<range.lowerBound]), origin: segment.origin))
                pieces += [.text(text), .image(images[number])]
                text = []
                rest = rest[end.upperBound...]
            }
            text.append(TextSegment(String(rest), origin: segment.origin))
        }
        return pieces + [.text(text)]
    }

    private var opening: String { "<image \(nonce) " }
    private var closing: String { ">" }
}
