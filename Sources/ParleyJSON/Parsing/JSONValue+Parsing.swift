// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Parses a document by RFC 8259: one value, no comments, no trailing commas.
    ///
    /// Of members with the same name the last one counts, in the place of the first. Numbers that neither
    /// `Int` nor `Double` holds are kept as they are written. A byte order mark at the start is skipped.
    ///
    /// - Throws: `JSONError` with the line and column of the first fault.
    public init(parsing text: some StringProtocol, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Parses a document from its UTF-8 bytes; see the initialiser that takes text.
    ///
    /// - Throws: `JSONError` with the line and column of the first fault.
    public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        var parser = JSONParser(bytes: Array(bytes), limits: limits)
        self = try parser.parseDocument()
    }
}
