// SPDX-License-Identifier: Apache-2.0

/// Where a single prompt comes from when nobody types it.
enum PromptSource {
    /// All of standard input, without the line feeds at its end.
    static func standardInput() throws -> String {
        var bytes: [UInt8] = []
        while let more = Terminal.read(timeout: -1) { bytes += more }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("The input is not text in UTF-8.")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw CommandError("The prompt is empty. Pipe some text in, or give it as an argument.")
        }
        return text
    }
}
