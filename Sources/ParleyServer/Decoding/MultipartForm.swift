// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI

/// The parts of a body in the form `multipart/form-data` ([RFC 7578](https://www.rfc-editor.org/rfc/rfc7578)).
package struct MultipartForm: Sendable {
    /// A field of the form.
    package struct Part: Hashable, Sendable {
        /// The name of the field.
        package var name: String
        /// The name of the file that it has, if it is one.
        package var fileName: String?
        /// Where its value lies in the body.
        package var range: Range<Int>
    }

    /// The fields, in order.
    package let parts: [Part]
    private let body: [UInt8]

    /// A form has at most so many parts, and each so many bytes of headers.
    private static let mostParts = 64
    private static let longestHead = 8 << 10
    /// A field that is text has at most so many bytes.
    private static let longestText = 64 << 10

    /// Divides a body.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - type: the value of the header `Content-Type`.
    /// - Throws: ``ServerError`` with status 400 or 415.
    package init(_ body: [UInt8], type: String) throws(ServerError) {
        let boundary = try Self.boundary(of: type)
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter may stand at the very beginning, without a line break before it.
        var place = body.starts(with: delimiter.dropFirst(2)) ? delimiter.count - 2 : nil
        if place == nil { place = Self.find(delimiter, in: body, from: 0).map { $0 + delimiter.count } }
        guard var start = place else { throw Self.invalid("The body has no part that its boundary delimits.") }
        var parts: [Part] = []
        while true {
            if body[start...].starts(with: [0x2D, 0x2D]) { break }
            guard let line = Self.find([0x0D, 0x0A], in: body, from: start), line - start < 64 else {
                throw Self.invalid("A part does not begin on a line of its own.")
            }
            // An empty head ends right after the boundary's line.
            let headStart = line
            guard let headEnd = Self.find([0x0D, 0x0A, 0x0D, 0x0A], in: body, from: headStart),
                headEnd - headStart <= Self.longestHead
            else { throw Self.invalid("A part has no end of its head.") }
            let valueStart = headEnd + 4
            // A value may be empty, and its delimiter then begin with the line break that ends the head.
            guard let end = Self.find(delimiter, in: body, from: valueStart - 2), parts.count < Self.mostParts else {
                throw Self.invalid("The last part has no end, or there are more than \(Self.mostParts).")
            }
            let range = valueStart..<max(valueStart, end)
            parts.append(try Self.part(body[headStart..<headEnd], range))
            start = end + delimiter.count
        }
        (self.parts, self.body) = (parts, body)
    }

    /// The text of a field; `nil` if the form has none of that name. Of several, the first counts.
    ///
    /// - Throws: ``ServerError`` with status 400 where it is not text or too long.
    package func text(_ name: String) throws(ServerError) -> String? {
        try texts(name).first
    }

    /// The texts of all fields of a name.
    ///
    /// - Throws: ``ServerError`` with status 400 where one is not text or too long.
    package func texts(_ name: String) throws(ServerError) -> [String] {
        var texts: [String] = []
        for part in parts where part.name == name {
            guard part.range.count <= Self.longestText,
                let text = String(validating: body[part.range], as: UTF8.self)
            else { throw ServerError(400, .invalidType, "The field is not text in UTF-8 or too long.", param: name) }
            texts.append(text)
        }
        return texts
    }

    /// The bytes of a field that is a file.
    package func file(_ name: String) -> (name: String, bytes: ArraySlice<UInt8>)? {
        parts.first { $0.name == name }.map { ($0.fileName ?? name, body[$0.range]) }
    }

    /// The boundary that a type names.
    private static func boundary(of type: String) throws(ServerError) -> String {
        let pieces = type.split(separator: ";", omittingEmptySubsequences: false).map { trimmed($0) }
        guard pieces.first?.lowercased() == "multipart/form-data" else {
            throw ServerError(
                415, .unsupportedMediaType,
                "The body must be a form with a file. Send it as Content-Type: multipart/form-data.")
        }
        for piece in pieces.dropFirst() {
            let pair = piece.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            guard pair.count == 2, pair[0].lowercased() == "boundary" else { continue }
            let value = unquoted(pair[1])
            // RFC 2046 allows 70 characters, all of them printable.
            if (1...70).contains(value.utf8.count), value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
                return value
            }
        }
        throw invalid("The type of the body names no valid boundary.")
    }

    /// A part with what its head says.
    private static func part(_ head: ArraySlice<UInt8>, _ range: Range<Int>) throws(ServerError) -> Part {
        let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-disposition" else {
                continue
            }
            let parameters = parameters(line[line.index(after: colon)...])
            if let name = parameters["name"] {
                return Part(name: name, fileName: parameters["filename"], range: range)
            }
        }
        throw invalid("A part has no name.")
    }

    /// The parameters of a header such as `form-data; name="file"; filename="a;b.wav"`.
    private static func parameters(_ text: Substring) -> [String: String] {
        var pieces: [String] = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            if character == ";", !isQuoted { pieces.append("") } else { pieces[pieces.count - 1].append(character) }
        }
        var result: [String: String] = [:]
        for piece in pieces {
            let pair = piece.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            if pair.count == 2 { result[pair[0].lowercased()] = unquoted(pair[1]) }
        }
        return result
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast()).replacing("\\\"", with: "\"").replacing("%22", with: "\"")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }

    /// Where bytes occur first, at a place or behind it.
    private static func find(_ wanted: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        guard let first = wanted.first, start >= 0, body.count >= wanted.count else { return nil }
        return body.withUnsafeBufferPointer { body in
            var place = start
            let last = body.count - wanted.count
            while place <= last {
                if body[place] == first {
                    var matched = 1
                    while matched < wanted.count, body[place + matched] == wanted[matched] { matched += 1 }
                    if matched == wanted.count { return place }
                }
                place += 1
            }
            return nil
        }
    }

    private static func invalid(_ message: String) -> ServerError {
        ServerError(400, .invalidHTTP, "\(message) Send the form as RFC 7578 says.")
    }
}
