// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension Data {
    /// The beginning of a PNG file, which states the size of its image.
    package static func png(_ width: UInt32, _ height: UInt32) -> Data {
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8)
        for side in [width, height] { Swift.withUnsafeBytes(of: side.bigEndian) { data.append(contentsOf: $0) } }
        return data
    }
}
