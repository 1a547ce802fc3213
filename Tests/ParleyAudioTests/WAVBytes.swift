// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes WAV files of every form, and of none.
struct WAVBytes {
    var form = "RIFF"
    var tag: UInt16 = 1
    var channels: UInt16 = 1
    var rate: UInt32 = 16_000
    var bits: UInt16 = 16
    var align: UInt16?
    var isExtensible = false
    var dataSize: UInt32?
    var largeSize: UInt64?
    var extra: [(String, [UInt8])] = []
    var body: [UInt8] = []

    var data: Data {
        var data = Data()
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: form.utf8)
        append(UInt32.max)
        data.append(contentsOf: "WAVE".utf8)
        if let largeSize {
            data.append(contentsOf: "ds64".utf8)
            append(UInt32(28))
            append(UInt64(0))
            append(largeSize)
            append(UInt64(0))
            append(UInt32(0))
        }
        for (name, bytes) in extra {
            data.append(contentsOf: name.utf8)
            append(UInt32(bytes.count))
            data.append(contentsOf: bytes)
            if bytes.count % 2 == 1 { data.append(0) }
        }
        data.append(contentsOf: "fmt ".utf8)
        append(UInt32(isExtensible ? 40 : 16))
        append(isExtensible ? UInt16(0xFFFE) : tag)
        append(channels)
        append(rate)
        append(rate &* UInt32(channels))
        append(align ?? (bits + 7) / 8 * channels)
        append(bits)
        if isExtensible {
            append(UInt16(22))
            append(bits)
            append(UInt32(0))
            append(tag)
            data.append(contentsOf: [UInt8](repeating: 0, count: 14))
        }
        data.append(contentsOf: "data".utf8)
        append(dataSize ?? UInt32(body.count))
        data.append(contentsOf: body)
        return data
    }
}
