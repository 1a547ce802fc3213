// SPDX-License-Identifier: Apache-2.0

/// The metadata of a model file: values by key, in the order of the file.
///
/// There are two accessors for each type: if the key is missing, `string("general.name")` throws and
/// `string(ifPresent:)` returns nil. Both throw ``ModelFileError`` if the value is of another type.
public struct Metadata: Sendable {
    /// The keys, in the order of the file.
    public private(set) var keys: [String] = []
    private var values: [String: MetadataValue] = [:]
    /// The file's name in messages.
    let fileName: String

    init(fileName: String) {
        self.fileName = fileName
    }

    /// The value of a key; nil if the file does not have it.
    public subscript(key: String) -> MetadataValue? { values[key] }

    /// Adds a value; returns false if the key already had one.
    mutating func insert(_ value: MetadataValue, forKey key: String) -> Bool {
        guard values.updateValue(value, forKey: key) == nil else { return false }
        keys.append(key)
        return true
    }

    /// Reads a value as one type; nil if the key is missing.
    func read<Value>(
        _ key: String, _ expected: String, _ accessor: (MetadataValue) -> Value?
    ) throws(ModelFileError) -> Value? {
        guard let stored = values[key] else { return nil }
        guard stored.isDecodable else {
            throw ModelFileError(
                .invalidValue,
                "\(fileName): the metadata entry \(key) has \(stored.range.count) bytes, more than any model needs. The "
                    + "file is damaged; download it again or convert it anew.")
        }
        guard let value = accessor(stored) else {
            let found = stored.elementType.map { "an array of \($0)" } ?? "\(stored.type)"
            throw ModelFileError(
                .wrongType,
                "\(fileName): the metadata entry \(key) should be \(expected) but is \(found) "
                    + "(\(stored.excerpt)). Convert the model anew or use another file.")
        }
        return value
    }

    /// Reads a value as one type; throws an error if the key is missing.
    func require<Value>(
        _ key: String, _ expected: String, _ accessor: (MetadataValue) -> Value?
    ) throws(ModelFileError) -> Value {
        guard let value = try read(key, expected, accessor) else {
            throw ModelFileError(
                .missingKey,
                "\(fileName): the metadata has no entry \(key). The file is incomplete; convert the "
                    + "model anew or use another file.")
        }
        return value
    }
}
