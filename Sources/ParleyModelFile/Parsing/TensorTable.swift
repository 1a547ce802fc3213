// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The tensor descriptors of a file, checked to lie within the file's data and not to overlap.
struct TensorTable {
    private(set) var tensors: [TensorDescriptor] = []

    /// A descriptor as stored in the file, before the position of its data is known.
    private struct Entry {
        var name: String
        var typeCode: UInt32
        var dimensions: [Int]
        var offset: UInt64
    }

    /// The size of the smallest descriptor in bytes: the length of a name, one byte of it, number of dimensions, type,
    /// offset.
    private static let minimumEntryBytes = 25
    private static let maximumDimensions = 4
    /// The maximum number of tensors; real files have a few thousand. It limits the memory a malicious header can take.
    private static let maximumTensors: UInt64 = 131_072

    /// Reads `count` descriptors; the tensor data begins at the next multiple of `alignment`.
    init(_ reader: inout ByteReader, count: UInt64, alignment: Int, part: Int) throws(ModelFileError) {
        guard count <= UInt64(reader.remaining / Self.minimumEntryBytes) else {
            throw reader.truncated("the table of \(count) tensors", needs: count, ofAtLeast: Self.minimumEntryBytes)
        }
        guard count <= Self.maximumTensors else {
            throw reader.corrupt("the header announces \(count) tensors", at: 8)
        }
        var entries: [Entry] = []
        for _ in 0..<count {
            entries.append(try Self.entry(&reader, alignment: alignment))
        }
        let dataStart = (reader.offset + alignment - 1) / alignment * alignment
        let fileSize = reader.fileSize.count
        var starts: [Int] = []
        for entry in entries {
            let (start, overflow) = UInt64(dataStart).addingReportingOverflow(entry.offset)
            guard !overflow, start < UInt64(fileSize) else { throw Self.truncated(reader.name, entry, fileSize) }
            starts.append(Int(start))
        }
        let ordered = starts.sorted()
        for (entry, start) in zip(entries, starts) {
            // The size of a tensor of unknown type cannot be computed; its data ends where the next tensor begins, or
            // earlier.
            let byteCount =
                try Self.byteCount(of: entry, in: reader.name)
                ?? (Self.first(above: start, in: ordered) ?? fileSize) - start
            guard byteCount <= fileSize - start else { throw Self.truncated(reader.name, entry, fileSize) }
            tensors.append(
                TensorDescriptor(
                    name: entry.name, typeCode: entry.typeCode, dimensions: entry.dimensions, part: part,
                    byteRange: start..<(start + byteCount)))
        }
        try Self.checkOverlaps(tensors, in: reader.name)
    }

    private static func entry(_ reader: inout ByteReader, alignment: Int) throws(ModelFileError) -> Entry {
        let start = reader.offset
        let name = try reader.name("a tensor's name")
        let rank: UInt32 = try reader.read(name)
        guard rank <= maximumDimensions else {
            throw reader.corrupt("the tensor \(name) has \(rank) dimensions", at: start)
        }
        var dimensions: [Int] = []
        var product = 1
        for _ in 0..<rank {
            let dimension: UInt64 = try reader.read(name)
            guard let size = Int(exactly: dimension), size > 0 else {
                throw reader.corrupt("the tensor \(name) has a dimension of \(dimension)", at: start)
            }
            let (next, overflow) = product.multipliedReportingOverflow(by: size)
            guard !overflow, next <= ByteSize.limit.count else {
                throw reader.corrupt("the tensor \(name) has more elements than any file has bytes", at: start)
            }
            product = next
            dimensions.append(size)
        }
        let typeCode: UInt32 = try reader.read(name)
        let offset: UInt64 = try reader.read(name)
        guard offset.isMultiple(of: UInt64(alignment)) else {
            throw reader.corrupt("the tensor \(name) lies at \(offset), no multiple of \(alignment)", at: start)
        }
        return Entry(name: name, typeCode: typeCode, dimensions: dimensions, offset: offset)
    }

    /// The size of a tensor's data in bytes; nil if the type is unknown.
    private static func byteCount(of entry: Entry, in file: String) throws(ModelFileError) -> Int? {
        guard let type = TensorType(rawValue: entry.typeCode) else { return nil }
        let columns = entry.dimensions.first ?? 1
        guard columns.isMultiple(of: type.blockSize) else {
            throw .corrupt(
                file, "the tensor \(entry.name) has rows of \(columns), no multiple of \(type.name)'s \(type.blockSize)"
            )
        }
        // The product of the dimensions was checked when the descriptor was read, so this cannot overflow.
        let blocks = entry.dimensions.reduce(1, *) / type.blockSize
        return (ByteSize(clamping: blocks) * type.blockBytes).count
    }

    /// The smallest number in a sorted list that is greater than `start`; nil if there is none.
    private static func first(above start: Int, in ordered: [Int]) -> Int? {
        var low = 0
        var high = ordered.count
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle] <= start { low = middle + 1 } else { high = middle }
        }
        return low < ordered.count ? ordered[low] : nil
    }

    private static func truncated(_ file: String, _ entry: Entry, _ fileSize: Int) -> ModelFileError {
        ModelFileError(
            .truncated,
            "\(file): the data of the tensor \(entry.name) ends beyond the file, which has \(fileSize) bytes. "
                + "The file is truncated; download it again.")
    }

    private static func checkOverlaps(_ tensors: [TensorDescriptor], in file: String) throws(ModelFileError) {
        let ordered = tensors.sorted { $0.byteRange.lowerBound < $1.byteRange.lowerBound }
        for (left, right) in zip(ordered, ordered.dropFirst())
        where left.byteRange.upperBound > right.byteRange.lowerBound {
            throw .corrupt(file, "the data of the tensors \(left.name) and \(right.name) overlap")
        }
    }
}
