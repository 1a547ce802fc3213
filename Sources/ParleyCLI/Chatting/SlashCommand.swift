// SPDX-License-Identifier: Apache-2.0

/// A command that is typed in a chat as a line beginning with a slash.
package enum SlashCommand: Sendable, Hashable {
    case help, clear, stats, quit
    /// Sets the system prompt; nil removes it.
    case system(String?)
    /// Writes the conversation to a file.
    case save(String)
    /// An unknown command, with a hint about what may have been meant.
    case unknown(hint: String)

    /// Every command with its description.
    package static let descriptions = [
        ("/help", "show this list"), ("/clear", "start a new conversation"),
        ("/system TEXT", "set the system prompt; without TEXT remove it"),
        ("/save FILE", "write the conversation (.json: as messages)"),
        ("/stats", "show the token counts and times of the last reply"), ("/quit", "leave; also Ctrl-D"),
    ]

    /// Parses a line; nil if it is a message for the model.
    package init?(_ line: String) {
        guard line.hasPrefix("/"), !line.contains("\n") else { return nil }
        let parts = line.split(separator: " ", maxSplits: 1)
        let name = String(parts[0])
        let argument = parts.count > 1 ? String(parts[1]) : ""
        switch name {
        case "/help", "/?": self = .help
        case "/clear": self = .clear
        case "/stats": self = .stats
        case "/quit", "/exit", "/bye": self = .quit
        case "/system": self = .system(argument.isEmpty ? nil : argument)
        case "/save": self = argument.isEmpty ? .unknown(hint: "/save needs a file name: /save FILE") : .save(argument)
        default:
            // A path or a formula is a message, not a misspelt command.
            guard name.dropFirst().allSatisfy(\.isLetter), name.count > 1 else { return nil }
            let names = Self.descriptions.map { $0.0.prefix { $0 != " " } }
            let meant = names.first { $0.hasPrefix(name) || $0.prefix(2) == name.prefix(2) }
            self = .unknown(
                hint: "There is no command \(name). " + (meant.map { "Did you mean \($0)?" } ?? "See /help."))
        }
    }
}
