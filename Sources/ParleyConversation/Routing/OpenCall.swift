// SPDX-License-Identifier: Apache-2.0

/// A function call whose end has not been reached yet.
struct OpenCall: Sendable {
    /// The maximum number of closing tags that are accepted inside the strings of one call. For each of them the call
    /// is parsed again.
    private static let mostTagsInStrings = 16
    /// The keys that the JSON object of a call may begin with.
    private static let firstKeys = ["name", "function", "parameters", "arguments", "type", "id"].map {
        Array($0.unicodeScalars)
    }

    /// The state of reading the first key of a call without opening tag. The key decides whether it is a call.
    private enum FirstKey {
        case awaited
        /// The opening quote and these scalars of the key were read.
        case begun([Unicode.Scalar])
        /// The key is one that calls begin with.
        case known
    }

    /// The offset of its opening tag in the raw output; `bodyStart` is the offset of the text after the tag.
    let start: Int
    let bodyStart: Int
    /// The text after the opening tag so far.
    private(set) var body: [Unicode.Scalar] = []
    /// The offset in the raw output where the first closing tag inside a string ends, and the error of parsing the call
    /// up to there.
    private(set) var firstTag: (end: Int, error: FunctionCallSyntaxError)?
    private var tagsInStrings = 0
    private var firstKey = FirstKey.awaited

    init(start: Int, bodyStart: Int) {
        self.start = start
        self.bodyStart = bodyStart
    }

    /// Whether it began without its opening tag.
    var lacksOpening: Bool { bodyStart == start }

    /// Whether a further closing tag may be taken for a part of a string.
    var mayHoldTag: Bool { tagsInStrings < Self.mostTagsInStrings }

    /// Whether the first key has shown that text without opening tag is a call.
    var isSurelyCall: Bool { if case .known = firstKey { true } else { false } }

    mutating func append(_ scalar: Unicode.Scalar) { body.append(scalar) }

    /// Appends a closing tag that is taken for a part of a string.
    ///
    /// - Parameters:
    ///   - tag: its scalars.
    ///   - end: the offset in the raw output where it ends.
    ///   - error: the error of parsing the call without it.
    mutating func append(tag: ArraySlice<Unicode.Scalar>, endingAt end: Int, _ error: FunctionCallSyntaxError) {
        if firstTag == nil { firstTag = (end, error) }
        tagsInStrings += 1
        body += tag
    }

    /// Appends a scalar to a call without opening tag, after its brace.
    ///
    /// - Returns: false if it turned out not to be a call.
    mutating func appendBare(_ scalar: Unicode.Scalar) -> Bool {
        body.append(scalar)
        switch firstKey {
        case .known: return true
        case .awaited:
            guard scalar == "\"" else { return scalar.properties.isWhitespace }
            firstKey = .begun([])
            return true
        case .begun(let key):
            if scalar == "\"" {
                firstKey = .known
                return Self.firstKeys.contains(key)
            }
            let longer = key + [scalar]
            firstKey = .begun(longer)
            return Self.firstKeys.contains { $0.starts(with: longer) }
        }
    }
}
