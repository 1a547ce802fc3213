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

    /// The number of pixels; both sides have at most 32 bits.
    package var pixels: Int { width.multipliedReportingOverflow(by: height).overflow ? .max : width * height }

    /// Reads the header of a PNG or JPEG file; nil if it states no size.
    package init?(of data: Data) {
        let bytes = [UInt8](data.prefix(24))
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            // The header chunk comes first: length, IHDR, width, height.
            guard bytes.count == 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
            func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
            self.init(width: number(16), height: number(20))
        } else {
            self.init(jpeg: data)
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
