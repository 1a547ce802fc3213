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
        ("/save FILE", "write the conversation (.md, .txt; .json: as messages)"),
        ("/stats", "show the token counts and times of the last reply"), ("/quit", "leave; also Ctrl-D"),
    ]

    /// Parses a line; nil if it is a message for the model.
    package init?(_ line: String) {
        guard let line = SlashLine(line) else { return nil }
        let argument = line.argument
        switch line.name {
        case "/help", "/?": self = .help
        case "/clear": self = .clear
        case "/stats": self = .stats
        case "/quit", "/exit", "/bye": self = .quit
        case "/system": self = .system(argument.isEmpty ? nil : argument)
        case "/save":
            self = line.path.isEmpty ? .unknown(hint: "/save needs a file name: /save FILE.") : .save(line.path)
        default:
            guard let hint = line.hint(among: Self.descriptions) else { return nil }
            self = .unknown(hint: hint)
        }
    }
}
