// SPDX-License-Identifier: Apache-2.0

/// Where a prompt comes from that is not typed into a chat.
package enum PromptSource {
    /// The word that stands for standard input.
    package static let standardInputMark = "-"

    /// The prompt that arguments make: the words with spaces between them, and in the place of `-` all of standard
    /// input, in a paragraph of its own.
    ///
    /// - Parameters:
    ///   - words: the arguments; none stand for standard input alone.
    ///   - input: reads standard input; called at most once.
    /// - Returns: the prompt.
    /// - Throws: what `input` throws.
    package static func prompt(from words: [String], input: () throws -> String) throws -> String {
        guard !words.isEmpty else { return try input() }
        let parts = words.split(separator: standardInputMark, omittingEmptySubsequences: false)
        guard parts.count > 1 else { return words.joined(separator: " ") }
        let text = try input()
        let paragraphs = parts.map { $0.joined(separator: " ") }
        return ([paragraphs[0]] + paragraphs.dropFirst().flatMap { [text, $0] }).filter { !$0.isEmpty }
            .joined(separator: "\n\n")
    }

    /// All of standard input, without the line feeds at its end.
    static func standardInput() throws -> String {
        var bytes: [UInt8] = []
        while let more = Terminal.read(timeout: -1) {
            bytes += more
            try InputFile.check(bytes.count, of: "The input")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("The input is not text in UTF-8.")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw CommandError("The prompt is empty. Pipe some text in, or give it to 'parley run MODEL PROMPT'.")
        }
        return text
    }
}
