// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes files as literals of Swift: `PageEmbedder FOLDER OUTPUT NAME…`.
///
/// They are strings, because an array of bytes takes the compiler seventy times longer. Comments that fill lines are left
/// out: an eighth of the page would be for those who write it.
@main
enum PageEmbedder {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { throw CocoaError(.fileReadUnknown) }
        let (folder, output) = (URL(filePath: arguments[0]), URL(filePath: arguments[1]))
        var swift =
            "/// The files of the page: their paths and contents.\nlet pageContents: [(path: String, text: String)] = [\n"
        for name in arguments.dropFirst(2) {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            swift += "    (\(literal(name)), \(literal(withoutComments(text, of: name)))),\n"
        }
        try Data((swift + "]\n").utf8).write(to: output, options: .atomic)
    }

    /// A file without the lines that are comments alone. No string of the page reaches over several lines.
    private static func withoutComments(_ text: String, of name: String) -> String {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return text }
        var kept: [Substring] = []
        var isComment = false
        for line in text.split(separator: "\n") {
            let words = line.drop { $0 == " " }
            isComment = isComment || words.hasPrefix("/*")
            if !isComment, !words.hasPrefix("//") { kept.append(line) }
            if isComment, words.contains("*/") { isComment = false }
        }
        return kept.joined(separator: "\n") + "\n"
    }

    /// A text as a literal whose every character means itself.
    private static func literal(_ text: String) -> String {
        var fence = "#"
        while text.contains("\"" + fence) || text.contains("\\" + fence) { fence += "#" }
        // A line break ends the literal's opening and begins its closing, so neither belongs to the text.
        return "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)"
    }
}
