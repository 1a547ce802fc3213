// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The size of an image as its header states it, so that a small file of a huge image is refused before it is decoded.
package struct ImageSize: Hashable, Sendable {
    /// The number of columns.
    package var width: Int
    /// The number of rows.
    package var height: Int

    /// The largest number of pixels of an image that is decoded; photographs have up to 50 million.
    package static let mostPixels = 64 << 20

    /// The number of pixels; both sides have at most 32 bits.
    package var pixels: Int { width.multipliedReportingOverflow(by: height).overflow ? .max : width * height }

    /// Reads the header of a PNG or JPEG file; nil if it states no size.
    package init?(of data: Data) {
        switch ImageKind(data) {
        case .png:
            // The header chunk comes first: length, IHDR, width, height.
            let bytes = [UInt8](data.prefix(24))
            guard bytes.count == 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
            func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
            self.init(width: number(16), height: number(20))
        case .jpeg: self.init(jpeg: data)
        case nil: return nil
        }
        guard width > 0, height > 0 else { return nil }
    }

    private init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    private init?(jpeg data: Data) {
        var place = data.startIndex + 2
        while place + 9 <= data.endIndex {
            // Readers skip what lies between two segments.
            guard data[place] == 0xFF else {
                place = data[place...].firstIndex(of: 0xFF) ?? data.endIndex
                continue
            }
            let marker = data[place + 1]
            // Filling bytes before a marker, what is no marker, and markers without a length.
            if marker == 0xFF || (0xD0...0xD8).contains(marker) || marker <= 0x01 {
                place += marker == 0xFF ? 1 : 2
                continue
            }
            let length = Int(data[place + 2]) << 8 | Int(data[place + 3])
            // The frame comes before the scan.
            guard length >= 2, marker != 0xDA else { return nil }
            // A start of frame, but not the tables that share its range: length, precision, height, width.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                self.init(
                    width: Int(data[place + 7]) << 8 | Int(data[place + 8]),
                    height: Int(data[place + 5]) << 8 | Int(data[place + 6]))
                return
            }
            place += 2 + length
        }
        return nil
    }
}

extension ImageSize {
    /// Why an image is not decoded.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// It is neither a JPEG nor a PNG file.
        case noImage
        /// The header states no size.
        case unknown
        /// It has more pixels than the limit.
        case tooLarge(ImageSize, limit: Int)

        /// What the image is or has, without a full stop; a sentence of it begins with the name of the image.
        package var description: String {
            switch self {
            case .noImage: "is neither a JPEG nor a PNG file"
            case .unknown: "does not state its size; the file is damaged"
            case .tooLarge(let size, let limit):
                "has \(size.width) × \(size.height) pixels; \(limit >> 20) megapixels are taken"
            }
        }
    }

    /// Checks an image by its header before it is kept, sent or decoded: a file of a few kilobytes may state a size that
    /// takes gigabytes of memory when it is decoded.
    ///
    /// - Parameters:
    ///   - image: the bytes of a file.
    ///   - limit: the largest number of pixels.
    /// - Throws: ``Fault``.
    package static func check(_ image: Data, limit: Int = mostPixels) throws(Fault) {
        guard ImageKind(image) != nil else { throw .noImage }
        guard let size = ImageSize(of: image) else { throw .unknown }
        guard size.pixels <= limit else { throw .tooLarge(size, limit: limit) }
    }
}
