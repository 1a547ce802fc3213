// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine

/// Makes a prompt from arguments and standard input.
package enum PromptSource {
    /// The argument that stands for standard input.
    package static let standardInputMark = "-"

    /// The prompt from arguments: the words with spaces between them, where `-` is replaced by all of standard input,
    /// in a paragraph of its own.
    ///
    /// - Parameters:
    ///   - words: the arguments; an empty list stands for standard input alone.
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

    /// All of standard input, without the line feeds at its end. Where it is typed it is said how that ends.
    ///
    /// - Parameters:
    ///   - remedy: what to do if it is empty.
    ///   - isTyped: whether it comes from a terminal.
    ///   - tell: shows a remark.
    ///   - read: returns bytes that have come, perhaps none; nil at the end of the input.
    /// - Returns: the text.
    /// - Throws: `ValidationError` if it is empty; ``CommandError`` if it is too long or no text.
    package static func standardInput(
        remedy: String = "Pipe some text in.", isTyped: Bool = Terminal.Stream.input.isTerminal,
        tell: (String) -> Void = { Console().note($0) }, reading read: () -> [UInt8]? = { Terminal.read(timeout: -1) }
    ) throws -> String {
        InputFile.explainTyping(of: "the prompt", isTyped: isTyped, tell: tell)
        var bytes: [UInt8] = []
        while let more = read() {
            bytes += more
            try InputFile.check(bytes.count, of: "The input")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("The input is not text in UTF-8.")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw ValidationError("The prompt is empty. \(remedy)")
        }
        return text
    }
}
