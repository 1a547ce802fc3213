// SPDX-License-Identifier: Apache-2.0

/// A line of iCalendar or vCard: a name, parameters and a value, with the bytes from which it was read.
///
/// A line that is not changed is written exactly as it was read, including its folds and line end.
public struct ContentLine: Hashable, Sendable {
    /// The name as written, in vCard with its group; empty if the line is not valid.
    public let name: String
    /// The name in capitals, which is used for lookup; empty if the line is not valid.
    public let key: String
    /// The parameters, in order.
    public let parameters: [ContentParameter]
    /// The value in its escaped form. Bytes that are not valid UTF-8 are replaced here, but kept in ``bytes``.
    public let value: String
    /// The bytes of the line, including its folds and line end.
    public let bytes: [UInt8]

    /// Creates a line, folded at 75 octets.
    ///
    /// - Parameters:
    ///   - name: Letters, digits and hyphens.
    ///   - value: The value in its escaped form; see ``TextValue`` for text. Line ends are replaced by spaces.
    ///   - parameters: The parameters, in order.
    ///   - lineEnd: The line end, which is also used for folds.
    public init(
        _ name: String, _ value: String, parameters: [ContentParameter] = [], lineEnd: [UInt8] = Array("\r\n".utf8)
    ) {
        self.name = name
        key = name.uppercased()
        self.parameters = parameters
        self.value = String(String.UnicodeScalarView(value.unicodeScalars.map { $0 == "\r" || $0 == "\n" ? " " : $0 }))
        let head = ([name] + parameters.map(\.text)).joined(separator: ";")
        bytes = LineFolding.fold(Array("\(head):\(self.value)".utf8), lineEnd: lineEnd)
    }

    /// Parses a line; one that is not valid has no name and keeps its bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        var text = LineFolding.unfold(bytes[...])
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        var scanner = LineScanner(text: text)
        if let (name, parameters, value) = scanner.scan() {
            self.name = name
            key = name.uppercased()
            self.parameters = parameters
            self.value = value
        } else {
            (name, key, parameters, value) = ("", "", [], "")
        }
    }

    /// Whether the line is not valid, like a blank line; it is kept but otherwise ignored.
    public var isMalformed: Bool { name.isEmpty }

    /// The first value of a parameter.
    ///
    /// - Parameter name: The parameter's name in any case.
    /// - Returns: The value; nil if there is no such parameter or it has no value.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name.caseInsensitiveEquals(name) }?.values.first
    }

    var lineEnd: [UInt8] { LineFolding.lineEnd(of: bytes) }

    /// Returns the line itself if value and parameters are the same, and otherwise a new line.
    func replacing(value: String, parameters: [ContentParameter]) -> ContentLine {
        if value == self.value, parameters == self.parameters { return self }
        return ContentLine(name, value, parameters: parameters, lineEnd: lineEnd.isEmpty ? Array("\r\n".utf8) : lineEnd)
    }
}

extension String {
    /// Whether two ASCII names are equal except for case.
    func caseInsensitiveEquals(_ other: String) -> Bool {
        utf8.count == other.utf8.count && uppercased() == other.uppercased()
    }
}

/// Splits an unfolded line into name, parameters and value.
private struct LineScanner {
    let text: [UInt8]
    var position = 0

    init(text: [UInt8]) { self.text = text }

    mutating func scan() -> (String, [ContentParameter], String)? {
        guard let name = scanName() else { return nil }
        var parameters: [ContentParameter] = []
        while position < text.count, text[position] == UInt8(ascii: ";") {
            position += 1
            guard let parameter = scanParameter() else { return nil }
            parameters.append(parameter)
        }
        guard position < text.count, text[position] == UInt8(ascii: ":") else { return nil }
        return (name, parameters, String(decoding: text[(position + 1)...], as: UTF8.self))
    }

    private mutating func scanName() -> String? {
        let start = position
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                position += 1
                continue
            default: break
            }
            break
        }
        return position > start ? String(decoding: text[start..<position], as: UTF8.self) : nil
    }

    private mutating func scanParameter() -> ContentParameter? {
        guard let name = scanName() else { return nil }
        guard position < text.count, text[position] == UInt8(ascii: "=") else {
            return ContentParameter(name: name, values: [])
        }
        var values: [String] = []
        repeat {
            position += 1
            guard let value = scanParameterValue() else { return nil }
            values.append(value)
        } while position < text.count && text[position] == UInt8(ascii: ",")
        return ContentParameter(name: name, values: values)
    }

    private mutating func scanParameterValue() -> String? {
        if position < text.count, text[position] == UInt8(ascii: "\"") {
            let start = position + 1
            guard let end = text[start...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            position = end + 1
            return ContentParameter.read(text[start..<end])
        }
        let start = position
        while position < text.count, !",;:".utf8.contains(text[position]) { position += 1 }
        return ContentParameter.read(text[start..<position])
    }
}
