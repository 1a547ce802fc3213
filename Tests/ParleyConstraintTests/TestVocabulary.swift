// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyTokenizer

/// A vocabulary of all single bytes, of frequent strings in JSON, and of two control tokens.
enum TestVocabulary {
    static let end: TokenID = 0
    static let callEnd: TokenID = 1

    static let texts: [[UInt8]] = {
        let bytes = (0...255).map { [UInt8($0)] }
        let pieces = [
            "{\"", "\":", "\": ", "\": \"", "\":\"", "\",\"", "\", \"", "\"}", "\"]", "\"},", "},{", "}}", "]]", "[[",
            "[\"", "[]", "{}",
            ",\n", "\n  ", "\n    ", "\n\n", "  ", "        ", "\t\t", "true", "false", "null", "the", " the", "name",
            "type", "id", "city",
            "é", "日本", "\u{1F600}", "\\n", "\\\"", "\\u00", "00", "12", "100", "-1", "0.5", "1.", ".5", "e+", "2024",
            "-02-", "T12:",
            "a\"", "ab", "abc", "\"a", "\"a\"", "\"a\":", "\"name\":", "\"b\":1", "1,", "1}", "1]", "1,\"", "}\n",
            "red", "green", "\",\"a\":",
            "<tool", "_call>", "<tool_call>", "<tool_call>{", "<tool_call>x", "</tool_call>", "weather", "(city=",
            "=\"", "\")]",
        ]
        return [[], [0xFF] + Array("<|call_end|>".utf8) + [0xFE]] + bytes + pieces.map { Array($0.utf8) }
    }()

    static let trie = TokenTrie(texts, endOfGeneration: [end])

    /// The token of a piece.
    static func token(_ piece: String) -> TokenID? {
        texts.firstIndex(of: Array(piece.utf8)).map { TokenID($0) }
    }
}
