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

    private static let nameKey = Array("name".unicodeScalars)

    /// How far the first member of a call without opening tag was read. It decides whether it is a call.
    private enum FirstMember {
        case awaited
        /// The opening quote and these scalars of the key were read.
        case key([Unicode.Scalar])
        /// The key is `name`, and a function's name has to follow.
        case named
        /// The opening quote and these scalars of the function's name were read.
        case name([Unicode.Scalar])
        /// It is one that calls begin with.
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
    private var firstMember = FirstMember.awaited
    /// What was read of the function's name behind an opening without its tag; nil once the name has ended.
    private var name: [Unicode.Scalar]? = []
    /// The length of the body from which on ``isDue()`` is true again.
    private var nextLook = 0

    init(start: Int, bodyStart: Int) {
        self.start = start
        self.bodyStart = bodyStart
    }

    /// Whether it began without its opening tag.
    var lacksOpening: Bool { bodyStart == start }

    /// Whether a further closing tag may be taken for a part of a string.
    var mayHoldTag: Bool { tagsInStrings < Self.mostTagsInStrings }

    /// Whether the first member has shown that text without opening tag is a call.
    var isSurelyCall: Bool {
        switch firstMember {
        case .awaited, .key: false
        case .named, .name, .known: true
        }
    }

    mutating func append(_ scalar: Unicode.Scalar) { body.append(scalar) }

    /// Whether the function's name has to follow, as behind an opening without its tag.
    var awaitsName: Bool { lacksOpening && name != nil }

    /// Appends a scalar to the name of a call without opening tag, before which there may be white space; not the one with
    /// which the name has ended.
    ///
    /// - Parameters:
    ///   - scalar: the scalar.
    ///   - functions: the names of the available functions; empty if any name is accepted.
    /// - Returns: false if it turned out to be the name of none.
    mutating func appendName(_ scalar: Unicode.Scalar, of functions: [[Unicode.Scalar]]) -> Bool {
        let name = name ?? []
        let longer = name + [scalar]
        if name.isEmpty, scalar.properties.isWhitespace {
            body.append(scalar)
            return true
        }
        if functions.contains(where: { $0.starts(with: longer) }) {
            body.append(scalar)
            self.name = longer
            return true
        }
        self.name = nil
        let isOfName =
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "_-.".unicodeScalars.contains(scalar)
        return functions.isEmpty || (functions.contains(name) && !isOfName)
    }

    /// Whether it is time to look if this can still be a call, which began without its opening tag: whenever the body is
    /// twice as long as before, because all of it is read.
    mutating func isDue() -> Bool {
        guard lacksOpening, body.count >= nextLook else { return false }
        nextLook = 2 * body.count
        return true
    }

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
    /// - Parameters:
    ///   - scalar: the scalar.
    ///   - functions: the names of the available functions; empty if any name is accepted.
    /// - Returns: false if it turned out not to be a call.
    mutating func appendBare(_ scalar: Unicode.Scalar, calling functions: [[Unicode.Scalar]]) -> Bool {
        body.append(scalar)
        switch firstMember {
        case .known: return true
        case .awaited:
            guard scalar == "\"" else { return scalar.properties.isWhitespace }
            firstMember = .key([])
            return true
        case .key(let key):
            if scalar == "\"" {
                firstMember = key == Self.nameKey && !functions.isEmpty ? .named : .known
                return Self.firstKeys.contains(key)
            }
            let longer = key + [scalar]
            firstMember = .key(longer)
            return Self.firstKeys.contains { $0.starts(with: longer) }
        case .named:
            guard scalar == "\"" else { return scalar == ":" || scalar.properties.isWhitespace }
            firstMember = .name([])
            return true
        case .name(let name):
            // An escape may stand for any character of a name.
            if scalar == "\"" || scalar == "\\" {
                firstMember = .known
                return scalar == "\\" || functions.contains(name)
            }
            let longer = name + [scalar]
            firstMember = .name(longer)
            return functions.contains { $0.starts(with: longer) }
        }
    }
}
