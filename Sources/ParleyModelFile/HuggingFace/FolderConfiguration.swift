// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// The `config.json` of a folder, or the part of it that describes the model of text.
///
/// Values that a file leaves out have the defaults of the family's class in `transformers`.
package struct FolderConfiguration: Sendable {
    /// The file's name in messages.
    package let fileName: String
    private let values: JSONValue

    package init(_ values: JSONValue, fileName: String) {
        self.values = values
        self.fileName = fileName
    }

    /// The value of a key; nil if it is missing or null.
    package subscript(key: String) -> JSONValue? {
        // `nil` would be read as JSON's null here.
        guard let value = values[key], !value.isNull else { return .none }
        return value
    }

    /// A part of the configuration; nil if there is none of that name.
    func part(_ key: String) -> FolderConfiguration? {
        guard let part = self[key], part.object != nil else { return nil }
        return FolderConfiguration(part, fileName: fileName)
    }

    /// The names of the parts of the configuration that are objects.
    var partNames: [String] { (values.object ?? [:]).compactMap { $0.value.object == nil ? nil : $0.key } }

    /// The largest sizes that lists are made of or that are multiplied; other whole numbers have 32 bits.
    private static let largest = [
        "num_hidden_layers": 1 << 12, "hidden_size": 1 << 20, "head_dim": 1 << 14, "intermediate_size": 1 << 22,
        "block_ff_dim": 1 << 22,
    ]

    /// A whole number that is not negative.
    package func count(_ key: String, default value: Int? = nil) throws(ModelFileError) -> Int {
        guard let stored = self[key] else {
            guard let value else { throw missing(key) }
            return value
        }
        let largest = Self.largest[key] ?? Int(UInt32.max)
        guard let number = stored.integer, (0...largest).contains(number) else {
            throw invalid(key, "is no whole number from 0 to \(largest)")
        }
        return number
    }

    /// A whole number that is not negative; nil if it is missing.
    func count(ifPresent key: String) throws(ModelFileError) -> Int? {
        self[key] == nil ? nil : try count(key)
    }

    /// A number.
    func number(_ key: String, default value: Double? = nil) throws(ModelFileError) -> Double {
        guard let stored = self[key] else {
            guard let value else { throw missing(key) }
            return value
        }
        guard let number = stored.number, number.isFinite else { throw invalid(key, "is no number") }
        return number
    }

    /// The texts of a list; nil if it is missing.
    func texts(ifPresent key: String) throws(ModelFileError) -> [String]? {
        guard let stored = self[key] else { return nil }
        guard let elements = stored.array else { throw invalid(key, "is no list") }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw invalid(key, "is no list of texts") }
        return texts
    }

    /// The whole numbers of a list; nil if it is missing.
    func counts(ifPresent key: String) throws(ModelFileError) -> [Int]? {
        guard let stored = self[key] else { return nil }
        guard let elements = stored.array else { throw invalid(key, "is no list") }
        let numbers = elements.compactMap(\.integer)
        guard numbers.count == elements.count else { throw invalid(key, "is no list of whole numbers") }
        return numbers
    }

    /// A number of this part, of another one if it is missing here, or else the default.
    func number(_ key: String, or other: FolderConfiguration?, default value: Double) throws(ModelFileError) -> Double {
        if let number = try number(ifPresent: key) { return number }
        if let number = try other?.number(ifPresent: key) { return number }
        return value
    }

    /// A whole number of this part, of another one if it is missing here, or else the default.
    func count(_ key: String, or other: FolderConfiguration?, default value: Int) throws(ModelFileError) -> Int {
        if let number = try count(ifPresent: key) { return number }
        if let number = try other?.count(ifPresent: key) { return number }
        return value
    }

    /// A number; nil if it is missing.
    func number(ifPresent key: String) throws(ModelFileError) -> Double? {
        self[key] == nil ? nil : try number(key)
    }

    /// A truth value.
    package func flag(_ key: String, default value: Bool) throws(ModelFileError) -> Bool {
        guard let stored = self[key] else { return value }
        guard let flag = stored.bool else { throw invalid(key, "is neither true nor false") }
        return flag
    }

    /// A text; nil if it is missing.
    package func text(ifPresent key: String) throws(ModelFileError) -> String? {
        guard let stored = self[key] else { return nil }
        guard let text = stored.string else { throw invalid(key, "is no text") }
        return text
    }

    /// Numbers, one for each of something.
    func numbers(_ key: String, count: Int) throws(ModelFileError) -> [Float] {
        guard let elements = self[key]?.array, elements.count == count else {
            throw invalid(key, "is no list of \(count) numbers")
        }
        let numbers = elements.compactMap { $0.number.map(Float.init) }
        guard numbers.count == count, numbers.allSatisfy(\.isFinite) else {
            throw invalid(key, "is no list of \(count) numbers")
        }
        return numbers
    }

    /// The error for a model that has no form in GGUF, or none that is known.
    func unsupported(_ what: String) -> ModelFileError {
        ModelFileError(
            .unsupportedModel, "\(fileName): \(what), which is not supported. Use a GGUF file of this model.")
    }

    func invalid(_ key: String, _ what: String) -> ModelFileError {
        ModelFileError(.invalidValue, "\(fileName): “\(key)” \(what). Download the file again.")
    }

    private func missing(_ key: String) -> ModelFileError {
        ModelFileError(.missingKey, "\(fileName): “\(key)” is missing. The file is incomplete; download it again.")
    }
}
