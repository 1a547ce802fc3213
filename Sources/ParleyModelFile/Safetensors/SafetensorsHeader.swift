// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleySystem

/// The header of a safetensors file: its notes and tensors, checked against the size of the file.
///
/// The data of the tensors must fill the file: no gap, no overlap, nothing after the last one.
struct SafetensorsHeader {
    /// The notes of whoever wrote the file, such as its `format`.
    private(set) var notes: [String: String] = [:]
    /// The tensors in the order of their data.
    private(set) var tensors: [SafetensorsTensor] = []

    /// The maximum length of a header in bytes; real headers have some hundred thousand.
    private static let maximumBytes: UInt64 = 32 << 20
    /// The maximum number of tensors, as in GGUF files.
    private static let maximumTensors = 131_072
    private static let maximumDimensions = 8
    /// What the tensors allowed have, and some notes: a header of digits and commas alone has far more.
    private static let limits = JSONLimits(
        depth: 4, bytes: Int(maximumBytes), values: maximumTensors * 14, requiresDistinctNames: true)

    /// Reads the header of a file; `part` is its number in a model of several, otherwise 0.
    init(of file: FileBytes, part: Int) throws(ModelFileError) {
        let (members, dataStart) = try Self.members(of: file)
        var tensors: [SafetensorsTensor] = []
        for (name, value) in members {
            if name == "__metadata__" {
                notes = try Self.notes(value, of: file.name)
            } else {
                let space = file.size.count - dataStart
                let tensor = try Self.tensor(name, value, part: part, dataStart: dataStart, space: space, of: file.name)
                tensors.append(tensor)
            }
        }
        guard tensors.count <= Self.maximumTensors else {
            throw .corrupt(file.name, "the header has \(tensors.count) tensors")
        }
        self.tensors = tensors.sorted { Self.place(of: $0) < Self.place(of: $1) }
        try checkFilling(from: dataStart, to: file.size.count, of: file.name)
    }

    /// The length of the header, without the number that says it.
    static func length(in bytes: UnsafeRawBufferPointer, name: String) throws(ModelFileError) -> Int {
        guard bytes.count >= 8 else {
            throw ModelFileError(.truncated, "\(name): the file has \(bytes.count) bytes; download it again.")
        }
        let length = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        // Other files begin with text, which makes an enormous length.
        guard bytes.count == 8 || bytes[8] == UInt8(ascii: "{"), length <= maximumBytes else {
            throw ModelFileError(
                .notSafetensors,
                "\(name): this is not a safetensors file; it may be an error page or an incomplete download.")
        }
        return Int(length)
    }

    /// The members of the header's object, and where the data begins.
    private static func members(of file: FileBytes) throws(ModelFileError) -> (JSONObject, dataStart: Int) {
        let header = try file.withUnsafeBytes { (bytes) throws(ModelFileError) -> [UInt8] in
            let length = try length(in: bytes, name: file.name)
            guard length <= bytes.count - 8 else {
                throw ModelFileError(
                    .truncated,
                    "\(file.name): the header has \(length) bytes, but the file ends before. Download it again.")
            }
            return Array(bytes[8..<8 + length])
        }
        do {
            guard let members = try JSONValue(parsing: header, limits: limits).object else {
                throw ModelFileError.corrupt(file.name, "the header is no object")
            }
            return (members, 8 + header.count)
        } catch let error as JSONError {
            throw ModelFileError(
                .corrupt, "\(file.name): the header is not valid: \(error). Download the file again.", cause: error)
        } catch {
            throw error as? ModelFileError ?? .corrupt(file.name, "the header is not valid")
        }
    }

    private static func notes(_ value: JSONValue, of file: String) throws(ModelFileError) -> [String: String] {
        guard let members = value.object else { throw .corrupt(file, "its notes are no object") }
        var notes: [String: String] = [:]
        for (name, value) in members {
            guard let text = value.string else { throw .corrupt(file, "a note is no text") }
            notes[name] = text
        }
        return notes
    }

    private static func tensor(
        _ name: String, _ value: JSONValue, part: Int, dataStart: Int, space: Int, of file: String
    ) throws(ModelFileError) -> SafetensorsTensor {
        // Names appear in messages, which are shown in terminals.
        guard !name.isEmpty, name.utf8.count <= 65_535, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .corrupt(file, "a tensor's name is empty, too long or contains control characters")
        }
        guard let typeName = value["dtype"]?.string, let sizes = value["shape"]?.array,
            let offsets = value["data_offsets"]?.array, offsets.count == 2, value.object?.count == 3
        else { throw .corrupt(file, "the tensor \(name) lacks its type, shape or place") }
        guard let type = SafetensorsTensor.ValueType(rawValue: typeName) else {
            throw ModelFileError(
                .unsupportedTensorType,
                "\(file): the tensor \(name) has values of the type \(String(reflecting: String(typeName.prefix(40)))), "
                    + "which is not supported.")
        }
        guard let start = offsets[0].integer, let end = offsets[1].integer, 0 <= start, start <= end, end <= space
        else {
            throw ModelFileError(
                .truncated,
                "\(file): the data of the tensor \(name) lies beyond the file's \(space) bytes of data. The file is "
                    + "truncated or damaged; download it again.")
        }
        guard sizes.count <= maximumDimensions else {
            throw .corrupt(file, "the tensor \(name) has \(sizes.count) dimensions")
        }
        var shape: [Int] = []
        var bytes = type.byteCount
        for size in sizes {
            guard let size = size.integer, size >= 0 else { throw .corrupt(file, "the tensor \(name) has no sizes") }
            let (product, overflow) = bytes.multipliedReportingOverflow(by: size)
            guard !overflow else { throw .corrupt(file, "the tensor \(name) is larger than any file") }
            bytes = product
            shape.append(size)
        }
        guard bytes == end - start else {
            throw .corrupt(file, "the tensor \(name) needs \(bytes) bytes but has \(end - start)")
        }
        return SafetensorsTensor(
            name: name, type: type, shape: shape, part: part, byteRange: dataStart + start..<dataStart + end)
    }

    /// Tensors without values come before the one that begins at the same place.
    private static func place(of tensor: SafetensorsTensor) -> (Int, Int, String) {
        (tensor.byteRange.lowerBound, tensor.byteRange.upperBound, tensor.name)
    }

    private func checkFilling(from start: Int, to end: Int, of file: String) throws(ModelFileError) {
        var filled = start
        for tensor in tensors {
            guard tensor.byteRange.lowerBound == filled else {
                let what = tensor.byteRange.lowerBound < filled ? "overlaps the one before it" : "comes after a gap"
                throw .corrupt(file, "the data of the tensor \(tensor.name) \(what)")
            }
            filled = tensor.byteRange.upperBound
        }
        guard filled == end else { throw .corrupt(file, "\(end - filled) bytes belong to no tensor") }
    }
}
