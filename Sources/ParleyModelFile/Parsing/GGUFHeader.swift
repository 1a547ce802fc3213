// SPDX-License-Identifier: Apache-2.0

/// The header of a GGUF file: its metadata and tensor descriptors, checked against the size of the file.
struct GGUFHeader {
    /// The version of the format.
    let version: Int
    /// The file's metadata.
    private(set) var metadata: Metadata
    /// The tensors whose data is in this file.
    private(set) var tensors: [TensorDescriptor] = []
    /// The length of the header in bytes.
    private(set) var byteCount = 0

    /// The maximum length of a header in bytes; real headers have less than 32 MB. It limits the time that a malicious
    /// header can take, which may be a sparse file that needs no disk space.
    private static let maximumBytes = 512 << 20
    /// The maximum number of entries; real files have fewer than a hundred. It limits the memory a malicious header can
    /// take.
    private static let maximumEntries: UInt64 = 65_536
    /// The size of the smallest entry in bytes: the length of a key, the type and one byte of value.
    private static let minimumEntryBytes = 13
    /// The maximum depth of nested arrays, which limits recursion; real files have none.
    private static let maximumNesting = 4

    /// Reads the header of a file; `part` is its number in a split model, otherwise 0.
    init(of file: FileBytes, part: Int) throws(ModelFileError) {
        self = try file.withUnsafeBytes { (bytes) throws(ModelFileError) in
            let beginning = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.maximumBytes))
            return try GGUFHeader(ByteReader(beginning, of: file.size, name: file.name), of: file, part: part)
        }
    }

    private init(_ initial: ByteReader, of file: FileBytes, part: Int) throws(ModelFileError) {
        var reader = initial
        version = try Self.version(&reader)
        metadata = Metadata(fileName: file.name)
        let tensorCount: UInt64 = try reader.read("the number of tensors")
        let entryCount: UInt64 = try reader.read("the number of metadata entries")
        guard entryCount <= UInt64(reader.remaining / Self.minimumEntryBytes) else {
            throw reader.truncated(
                "the metadata of \(entryCount) entries", needs: entryCount, ofAtLeast: Self.minimumEntryBytes)
        }
        guard entryCount <= Self.maximumEntries else {
            throw reader.corrupt("the header announces \(entryCount) metadata entries", at: 16)
        }
        for _ in 0..<entryCount {
            let start = reader.offset
            let key = try reader.name("a metadata key")
            guard metadata.insert(try Self.value(&reader, of: file, key: key), forKey: key) else {
                throw reader.corrupt("the metadata entry \(key) occurs twice", at: start)
            }
        }
        tensors = try TensorTable(
            &reader, count: tensorCount, alignment: Self.alignment(metadata), part: part
        ).tensors
        byteCount = reader.offset
    }

    private static func version(_ reader: inout ByteReader) throws(ModelFileError) -> Int {
        let magic: UInt32 = try reader.read("the file's mark")
        guard magic == 0x4655_4747 else {  // "GGUF" read as a little-endian number
            throw ModelFileError(.notGGUF, "\(reader.name): not a GGUF file; convert the model to GGUF or use another.")
        }
        let version: UInt32 = try reader.read("the version")
        switch version {
        case 2, 3: return Int(version)
        case 0, 1:
            throw ModelFileError(
                .unsupportedVersion, "\(reader.name): GGUF version \(version) is too old; convert the model anew.")
        case let swapped where swapped & 0xFFFF == 0:
            throw ModelFileError(
                .unsupportedVersion,
                "\(reader.name): the file is big-endian; only little-endian GGUF is read. "
                    + "Convert the model anew.")
        default:
            throw ModelFileError(
                .unsupportedVersion,
                "\(reader.name): GGUF version \(version) is not known; versions 2 and 3 are read. A newer Parley may do, "
                    + "or the file is damaged.")
        }
    }

    /// Reads the alignment: the tensor data, and each tensor in it, begin at a multiple of this many bytes.
    private static func alignment(_ metadata: Metadata) throws(ModelFileError) -> Int {
        let alignment = try metadata.unsigned(ifPresent: "general.alignment") ?? 32
        guard alignment >= 8, alignment & (alignment - 1) == 0, alignment <= 1 << 30 else {
            throw .corrupt(metadata.fileName, "general.alignment is \(alignment), which is no power of two from 8 up")
        }
        return alignment
    }

    private static func value(
        _ reader: inout ByteReader, of file: FileBytes, key: String
    ) throws(ModelFileError) -> MetadataValue {
        let type = try Self.type(&reader, key)
        switch type {
        case .string:
            let range = try reader.skip(reader.read(key), key)
            return MetadataValue(type: type, elementType: nil, count: 1, range: range, file: file)
        case .array:
            let elementType = try Self.type(&reader, key)
            let count: UInt64 = try reader.read(key)
            let start = reader.offset
            try skipElements(&reader, count, elementType, key, nesting: 1)
            return MetadataValue(
                type: type, elementType: elementType, count: Int(count), range: start..<reader.offset, file: file)
        default:
            let range = try reader.skip(UInt64(type.byteCount ?? 0), key)
            return MetadataValue(type: type, elementType: nil, count: 1, range: range, file: file)
        }
    }

    private static func type(_ reader: inout ByteReader, _ key: String) throws(ModelFileError) -> MetadataType {
        let start = reader.offset
        let code: UInt32 = try reader.read(key)
        guard let type = MetadataType(rawValue: code) else {
            throw reader.corrupt("the metadata entry \(key) has the unknown type \(code)", at: start)
        }
        return type
    }

    /// Skips the elements of an array; if it returns, `count` is less than the length of the file.
    private static func skipElements(
        _ reader: inout ByteReader, _ count: UInt64, _ type: MetadataType, _ key: String, nesting: Int
    ) throws(ModelFileError) {
        if let size = type.byteCount {
            try reader.skip(count, elementsOf: size, key)
        } else if type == .string {
            try reader.skipStrings(count, key)
        } else {
            guard nesting < maximumNesting else {
                throw reader.corrupt("the metadata entry \(key) nests arrays too deeply", at: reader.offset)
            }
            try reader.walk(count, ofAtLeast: 12, key)
            for _ in 0..<count {
                let elementType = try Self.type(&reader, key)
                try skipElements(&reader, reader.read(key), elementType, key, nesting: nesting + 1)
            }
        }
    }
}
