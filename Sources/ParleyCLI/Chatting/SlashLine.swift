// SPDX-License-Identifier: Apache-2.0

/// A line that begins with a slash: the name of a command, and what follows it.
struct SlashLine {
    /// The name, with its slash.
    let name: String
    /// What follows the name, without white space before it; empty if nothing does.
    let argument: String

    /// Reads a line; nil if it is a message for the model.
    init?(_ line: String) {
        guard line.hasPrefix("/"), !line.contains(where: \.isNewline) else { return nil }
        let end = line.firstIndex(where: \.isWhitespace) ?? line.endIndex
        name = String(line[..<end])
        argument = String(line[end...].drop(while: \.isWhitespace))
    }

    /// What to say about a name that is none of some commands; nil if it is no misspelt command but a path or a formula.
    func hint(among commands: [(String, String)]) -> String? {
        guard name.dropFirst().allSatisfy(\.isLetter), name.count > 1 else { return nil }
        let names = commands.map { $0.0.prefix { $0 != " " } }
        let meant = names.first { $0.hasPrefix(name) || $0.prefix(2) == name.prefix(2) }
        return "There is no command \(name). " + (meant.map { "Did you mean \($0)?" } ?? "See /help.")
    }
}
