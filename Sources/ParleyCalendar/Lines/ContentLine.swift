// SPDX-License-Identifier: Apache-2.0

/// A line of iCalendar or vCard: a name, parameters and a value, with the bytes it was read from.
///
/// A line that is not changed is written as it was read, with its folds and its line end.
public struct ContentLine: Hashable, Sendable {
    /// The name as written, with its group in vCard; empty for a line that breaks the grammar.
    public let name: String
    /// The name in capitals, by which lines are found; empty for a line that breaks the grammar.
    public let key: String
    /// The parameters in their order.
    public let parameters: [ContentParameter]
    /// The value as written, with its escapes. Where it is not UTF-8, the wrong bytes are replaced; ``bytes`` keeps them.
    public let value: String
    /// The line as it stands in the stream, with its folds and its line end.
    public let bytes: [UInt8]

    /// Makes a line, folded at 75 octets.
    ///
    /// - Parameters:
    ///   - name: Letters, digits and hyphens.
    ///   - value: The value as it is written, with its escapes; see ``TextValue`` for text. Line ends become spaces.
    ///   - parameters: The parameters in their order.
    ///   - lineEnd: What ends the line and its folds.
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

    /// Reads a line; one that breaks the grammar has no name and keeps its bytes.
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

    /// Whether the line breaks the grammar, as blank lines do. It is kept, and means nothing.
    public var isMalformed: Bool { name.isEmpty }

    /// The first value of a parameter.
    ///
    /// - Parameter name: The parameter's name in any case.
    /// - Returns: nil where there is no such parameter, or it has no value.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name.caseInsensitiveEquals(name) }?.values.first
    }

    var lineEnd: [UInt8] { LineFolding.lineEnd(of: bytes) }

    /// The same line when it means the same, else one with this value and these parameters.
    func replacing(value: String, parameters: [ContentParameter]) -> ContentLine {
        if value == self.value, parameters == self.parameters { return self }
        return ContentLine(name, value, parameters: parameters, lineEnd: lineEnd.isEmpty ? Array("\r\n".utf8) : lineEnd)
    }
}

extension String {
    /// Whether two ASCII names are the same without regard to case.
    func caseInsensitiveEquals(_ other: String) -> Bool {
        utf8.count == other.utf8.count && uppercased() == other.uppercased()
    }
}

/// Takes an unfolded line apart.
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
