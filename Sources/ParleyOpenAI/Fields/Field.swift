// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A value of a JSON document with its path, so that what is wrong with it is told by name. A member that is missing
/// and one that is `null` are the same.
struct Field {
    let value: JSONValue
    /// The path from the document, such as `messages[2].content`; empty for the document itself.
    let path: String

    init(_ value: JSONValue, path: String = "") {
        self.value = value
        self.path = path
    }

    /// Whether there is nothing.
    var isMissing: Bool { value.isNull }

    /// A member; one without a value where there is none.
    subscript(name: String) -> Field {
        Field(value[name] ?? .null, path: path.isEmpty ? name : "\(path).\(name)")
    }

    // MARK: - Values

    func string() throws(OpenAIError) -> String? { try read("a string") { $0.string } }

    func bool() throws(OpenAIError) -> Bool? { try read("true or false") { $0.bool } }

    /// A whole number, also one that is written with a fraction of zero.
    func integer() throws(OpenAIError) -> Int? {
        try read("an integer") { $0.integer ?? $0.number.flatMap(Int.init(exactly:)) }
    }

    func number() throws(OpenAIError) -> Double? { try read("a number") { $0.number } }

    /// An integer from a range.
    func integer(in range: ClosedRange<Int>) throws(OpenAIError) -> Int? {
        guard let value = try integer() else { return nil }
        guard range.contains(value) else {
            throw failure(.invalidValue, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func object() throws(OpenAIError) -> JSONObject? { try read("an object") { $0.object } }

    /// The elements of a list.
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

    /// Requires an object, whose members may all be missing.
    func requireObject() throws(OpenAIError) {
        guard try object() != nil else { throw missing }
    }

    private func read<Value>(_ kind: String, _ take: (JSONValue) -> Value?) throws(OpenAIError) -> Value? {
        if isMissing { return nil }
        guard let value = take(value) else { throw failure(.invalidType, "must be \(kind)") }
        return value
    }

    // MARK: - Failures

    /// The error for a field that is required.
    var missing: OpenAIError { failure(.missingParameter, "is missing") }

    /// An error about this field; `what` goes on after its name.
    func failure(_ code: OpenAIError.Code, _ what: String, cause: (any Error)? = nil) -> OpenAIError {
        OpenAIError(
            code, "\(path.isEmpty ? "The document" : path) \(what).", param: path.isEmpty ? nil : path, cause: cause)
    }
}
