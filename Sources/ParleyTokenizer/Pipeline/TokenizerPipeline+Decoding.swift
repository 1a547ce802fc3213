// SPDX-License-Identifier: Apache-2.0

extension TokenizerPipeline.Decoder {
    /// Whether the first token of a text loses the space that was put before it.
    var stripsFirstSpace: Bool {
        switch self {
        case .spaces(_, let stripsFirst): stripsFirst
        case .words, .plain: true
        case .bytes, .suffix: false
        }
    }

    /// The bytes that a token stands for.
    func bytes(of text: ArraySlice<UInt8>) -> [UInt8] {
        switch self {
        case .bytes: return ByteAlphabet.decode(text)
        case .spaces(let mark, _):
            if let byte = UInt8(spelledBy: text) { return [byte] }
            return Self.replacing(Array(mark.utf8), in: text)
        case .words(let prefix):
            return text.starts(with: prefix.utf8) ? Array(text.dropFirst(prefix.utf8.count)) : [0x20] + text
        case .suffix(let suffix):
            let ends = text.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            return ends ? text.dropLast(suffix.utf8.count) + [0x20] : Array(text)
        case .plain: return [0x20] + text
        }
    }

    private static func replacing(_ mark: [UInt8], in text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.first {
            if !mark.isEmpty, rest.starts(with: mark) {
                result.append(0x20)
                rest = rest.dropFirst(mark.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
