// SPDX-License-Identifier: Apache-2.0

/// A call whose end has not come yet.
struct OpenCall: Sendable {
    /// How many closing tags inside the strings of one call are believed: each costs reading the call again.
    private static let mostTagsInStrings = 16
    /// The names with one of which a call in JSON begins.
    private static let firstKeys = ["name", "function", "parameters", "arguments", "type", "id"].map {
        Array($0.unicodeScalars)
    }

    /// How far the first key of a bare call has come, which says whether it is one.
    private enum FirstKey {
        case awaited
        /// Its opening quote has come, and then this.
        case begun([Unicode.Scalar])
        /// It is one of a call's.
        case known
    }

    /// Where its opening tag, and where the text behind it begins in the raw output.
    let start: Int
    let bodyStart: Int
    /// What stands behind the opening tag so far.
    private(set) var body: [Unicode.Scalar] = []
    /// Where in the raw output the first closing tag inside a string ends, and what is wrong with the call if it ends
    /// there.
    private(set) var firstTag: (end: Int, error: FunctionCallSyntaxError)?
    private var tagsInStrings = 0
    private var firstKey = FirstKey.awaited

    init(start: Int, bodyStart: Int) {
        self.start = start
        self.bodyStart = bodyStart
    }

    /// Whether one more closing tag may stand inside a string.
    var mayHoldTag: Bool { tagsInStrings < Self.mostTagsInStrings }

    /// Whether a bare call has shown itself as one.
    var isSurelyCall: Bool { if case .known = firstKey { true } else { false } }

    mutating func append(_ scalar: Unicode.Scalar) { body.append(scalar) }

    /// Appends a closing tag that is taken for a part of a string.
    ///
    /// - Parameters:
    ///   - tag: its scalars.
    ///   - end: where it ends in the raw output.
    ///   - error: what is wrong with the call without it.
    mutating func append(tag: ArraySlice<Unicode.Scalar>, endingAt end: Int, _ error: FunctionCallSyntaxError) {
        if firstTag == nil { firstTag = (end, error) }
        tagsInStrings += 1
        body += tag
    }

    /// Appends to a bare call, behind its brace.
    ///
    /// - Returns: false where it turns out to be none.
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
