// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// A bounds-checked cursor over the bytes of a file that reads little-endian numbers and strings.
///
/// It must be used only inside one `FileBytes.withUnsafeBytes` call.
package struct ByteReader {
    /// The file's name in messages.
    package let name: String
    /// The offset of the next read.
    package private(set) var offset = 0
    /// The size of the whole file; `bytes` may be only its beginning.
    package let fileSize: ByteSize
    private let bytes: UnsafeRawBufferPointer
    private var nameBytes = 0

    /// The maximum size in bytes of all names in a header together, because they are kept in memory; real headers have
    /// some hundred thousand.
    private static let mostNameBytes = 8 << 20
    private var walkedElements: UInt64 = 0
    /// The maximum number of elements that are skipped one by one; the largest vocabularies have fewer than a million.
    private static let mostWalkedElements: UInt64 = 1 << 23

    package init(_ bytes: UnsafeRawBufferPointer, of fileSize: ByteSize, name: String) {
        self.bytes = bytes
        self.fileSize = fileSize
        self.name = name
    }

    /// The number of bytes after the cursor.
    package var remaining: Int { bytes.count - offset }

    /// Reads a number; `what` describes it in the error message.
    package mutating func read<Number: FixedWidthInteger>(_ what: String) throws(ModelFileError) -> Number {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { throw truncated(what, needs: UInt64(size)) }
        let number = bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)
        offset += size
        return Number(littleEndian: number)
    }

    /// Skips `count` bytes and returns their range.
    @discardableResult
    package mutating func skip(_ count: UInt64, _ what: String) throws(ModelFileError) -> Range<Int> {
        guard count <= UInt64(remaining) else { throw truncated(what, needs: count) }
        let start = offset
        offset += Int(count)
        return start..<offset
    }

    /// Skips `count` elements of `size` bytes.
    mutating func skip(_ count: UInt64, elementsOf size: Int, _ what: String) throws(ModelFileError) {
        let (total, overflow) = count.multipliedReportingOverflow(by: UInt64(size))
        try skip(overflow ? .max : total, what)
    }

    /// Skips `count` strings, each of which is a length followed by its bytes.
    mutating func skipStrings(_ count: UInt64, _ what: String) throws(ModelFileError) {
        // Vocabularies have up to a million strings, so this loop must be fast.
        try walk(count, ofAtLeast: 8, what)
        for _ in 0..<count {
            try skip(read(what), what)
        }
    }

    /// Counts elements that will be skipped one by one; throws an error if there are too many.
    mutating func walk(_ count: UInt64, ofAtLeast size: Int, _ what: String) throws(ModelFileError) {
        guard count <= UInt64(remaining / size) else { throw truncated(what, needs: count, ofAtLeast: size) }
        walkedElements += count
        guard walkedElements <= Self.mostWalkedElements else {
            throw corrupt("with \(what) the header has \(walkedElements) texts and arrays", at: offset)
        }
    }

    /// Reads a name, which must be UTF-8, without control characters and no longer than the format allows.
    mutating func name(_ what: String) throws(ModelFileError) -> String {
        let start = offset
        let length: UInt64 = try read(what)
        guard length <= 65_535 else {
            throw corrupt("the length of \(what) is \(length), more than the format's 65535", at: start)
        }
        let range = try skip(length, what)
        nameBytes += range.count
        guard nameBytes <= Self.mostNameBytes else {
            throw corrupt("the header's names have more than \(Self.mostNameBytes >> 20) MiB", at: start)
        }
        guard let text = String(validating: bytes[range], as: UTF8.self) else {
            throw corrupt("\(what) is not UTF-8", at: start)
        }
        // Names appear in messages, which are shown in terminals.
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw corrupt("\(what) contains control characters", at: start)
        }
        return text
    }

    /// The error for a file, or the beginning of a file, that ends within `what`, which has `count` elements of `size` bytes
    /// or more.
    package func truncated(_ what: String, needs count: UInt64, ofAtLeast size: Int = 1) -> ModelFileError {
        let (product, overflow) = count.multipliedReportingOverflow(by: UInt64(size))
        let needed = overflow ? .max : product
        if bytes.count < fileSize.count {
            return ModelFileError(
                .incompleteHeader,
                "\(name): \(what) at byte \(offset) needs \(needed) bytes or more, but only the first \(bytes.count) bytes "
                    + "are read as a header. It is damaged; download it again.")
        }
        return ModelFileError(
            .truncated,
            "\(name): \(what) at byte \(offset) needs \(needed) bytes or more, but only \(remaining) are left in the "
                + "file. It is truncated or damaged; download it again.")
    }

    /// The error for a file that violates its format.
    package func corrupt(_ what: String, at offset: Int) -> ModelFileError {
        .corrupt(name, "\(what) (at byte \(offset))")
    }
}

extension ModelFileError {
    /// The error for a file that violates its format.
    static func corrupt(_ file: String, _ what: String) -> ModelFileError {
        ModelFileError(.corrupt, "\(file): \(what). The file is damaged; download it again or convert it anew.")
    }
}
