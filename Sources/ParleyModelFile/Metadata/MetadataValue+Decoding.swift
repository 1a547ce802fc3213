// SPDX-License-Identifier: Apache-2.0

extension MetadataValue {
    /// Calls `body` with each string of an array in order; does nothing for other values.
    ///
    /// The lengths were checked when the header was read. They are checked again because a mapped file may have been
    /// overwritten since; reading then stops at the first string that is out of bounds.
    func forEachString(_ body: (String) -> Void) {
        guard elementType == .string else { return }
        file.withUnsafeBytes { bytes in
            var offset = range.lowerBound
            for _ in 0..<count {
                guard range.upperBound - offset >= 8 else { return }
                let stored = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                guard stored <= UInt64(range.upperBound - offset - 8) else { return }
                let length = Int(stored)
                let text = bytes[(offset + 8)..<(offset + 8 + length)]
                body(String(decoding: text, as: UTF8.self))
                offset += 8 + length
            }
        }
    }

    func integers(ofType type: MetadataType) -> [Int]? {
        switch type {
        case .uint8: decode { (number: UInt8) in Int(number) }
        case .int8: decode { (number: Int8) in Int(number) }
        case .uint16: decode { (number: UInt16) in Int(number) }
        case .int16: decode { (number: Int16) in Int(number) }
        case .uint32: decode { (number: UInt32) in Int(exactly: number) }
        case .int32: decode { (number: Int32) in Int(number) }
        case .uint64: decode { (number: UInt64) in Int(exactly: number) }
        case .int64: decode { (number: Int64) in Int(exactly: number) }
        case .float32, .float64, .bool, .string, .array: nil
        }
    }

    func floats(ofType type: MetadataType) -> [Float]? {
        switch type {
        case .float32: decode { (bits: UInt32) in Float(bitPattern: bits) }
        case .float64: decode { (bits: UInt64) in Float(Double(bitPattern: bits)) }
        default: nil
        }
    }

    func bools(ofType type: MetadataType) -> [Bool]? {
        type == .bool ? decode { (byte: UInt8) in byte != 0 } : nil
    }

    /// Decodes all elements; nil if one cannot be converted.
    private func decode<Stored: FixedWidthInteger, Element>(_ convert: (Stored) -> Element?) -> [Element]? {
        guard isDecodable else { return nil }
        return file.withUnsafeBytes { bytes in
            var elements: [Element] = []
            elements.reserveCapacity(count)
            for index in 0..<count {
                let offset = range.lowerBound + index * MemoryLayout<Stored>.size
                let stored = Stored(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Stored.self))
                guard let element = convert(stored) else { return nil }
                elements.append(element)
            }
            return elements
        }
    }
}
