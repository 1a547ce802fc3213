// SPDX-License-Identifier: Apache-2.0

/// The line of a help that shows how a command is called, which the library does not wrap.
package enum UsageLine {
    private static let title = "USAGE: "

    /// A help whose line is wrapped between its arguments.
    package static func wrapped(in help: String, columns: Int) -> String {
        help.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(title) ? wrapped($0, columns) : String($0) }
            .joined(separator: "\n")
    }

    private static func wrapped(_ line: Substring, _ columns: Int) -> String {
        var depth = 0
        let words = line.split { character in
            if "[<".contains(character) { depth += 1 }
            if "]>".contains(character) { depth -= 1 }
            return character == " " && depth == 0
        }
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append((lines.isEmpty ? "" : String(repeating: " ", count: title.count)) + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
