// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A value in a JSON document together with its path, which errors state; a missing member and `null` count as the
/// same.
struct Field {
    let value: JSONValue
    /// The path of the value in the document, such as `messages[2].content`; empty for the document itself.
    let path: String

    init(_ value: JSONValue, path: String = "") {
        self.value = value
        self.path = path
    }

    /// Whether the value is missing or null.
    var isMissing: Bool { value.isNull }

    /// The member with a name; its value is null if there is none.
    subscript(name: String) -> Field {
        Field(value[name] ?? .null, path: path.isEmpty ? name : "\(path).\(name)")
    }

    // MARK: - Values

    func string() throws(OpenAIError) -> String? { try read("a string") { $0.string } }

    func bool() throws(OpenAIError) -> Bool? { try read("true or false") { $0.bool } }

    /// Reads an integer, which may also be written with a fraction of zero, such as `1.0`.
    func integer() throws(OpenAIError) -> Int? {
        try read("an integer") { $0.integer ?? $0.number.flatMap(Int.init(exactly:)) }
    }

    func number() throws(OpenAIError) -> Double? { try read("a number") { $0.number } }

    /// Reads an integer that must be in a range.
    func integer(in range: ClosedRange<Int>) throws(OpenAIError) -> Int? {
        let outside = failure(.invalidValue, "must be from \(range.lowerBound) to \(range.upperBound)")
        // A number that no integer holds is out of range as well.
        if value.integer == nil, let number = value.number, number.magnitude >= 0x1p63 { throw outside }
        guard let whole = try integer() else { return nil }
        guard range.contains(whole) else { throw outside }
        return whole
    }

    func object() throws(OpenAIError) -> JSONObject? { try read("an object") { $0.object } }

    /// Reads the elements of an array, of which there may be at most `limit`.
    func elements(upTo limit: Int = .max) throws(OpenAIError) -> [Field]? {
        guard let list = try read("a list", { $0.array }) else { return nil }
        guard list.count <= limit else {
            throw failure(.invalidValue, "has \(list.count) elements; \(limit) are taken")
        }
        return list.enumerated().map { Field($1, path: "\(path)[\($0)]") }
    }

    func requiredString() throws(OpenAIError) -> String {
        guard let text = try string() else { throw missing }
        return text
    }

    func requiredElements(upTo limit: Int) throws(OpenAIError) -> [Field] {
        guard let list = try elements(upTo: limit) else { throw missing }
        return list
    }

    /// Reads the ids of tokens, one at least.
    func tokens() throws(OpenAIError) -> [Int32] {
        var tokens: [Int32] = []
        for element in value.array ?? [] {
            guard let token = element.integer.flatMap(Int32.init(exactly:)), token >= 0 else {
                throw failure(.invalidType, "must have ids of tokens only")
            }
            tokens.append(token)
        }
        guard !tokens.isEmpty else { throw failure(.invalidValue, "must not be empty") }
        return tokens
    }

    /// Checks that the value is an object.
    func requireObject() throws(OpenAIError) {
        guard try object() != nil else { throw missing }
    }

    private func read<Value>(_ kind: String, _ take: (JSONValue) -> Value?) throws(OpenAIError) -> Value? {
        if isMissing { return nil }
        guard let value = take(value) else { throw failure(.invalidType, "must be \(kind)") }
        return value
    }

    // MARK: - Failures

    /// The error for a required field that is missing.
    var missing: OpenAIError { failure(.missingParameter, "is missing") }

    /// Creates an error about this field; `what` continues the sentence that begins with the field's path.
    func failure(_ code: OpenAIError.Code, _ what: String, cause: (any Error)? = nil) -> OpenAIError {
        OpenAIError(
            code, "\(path.isEmpty ? "The document" : path) \(what).", param: path.isEmpty ? nil : path, cause: cause)
    }
}
