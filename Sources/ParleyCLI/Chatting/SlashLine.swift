// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels

/// A line that begins with a slash: the name of a command, and what follows it.
struct SlashLine {
    /// The name, with its slash.
    let name: String
    /// What follows the name, without white space around it; empty if nothing does.
    let argument: String

    /// Reads a line; nil if it is a message for the model.
    init?(_ line: String) {
        guard line.hasPrefix("/"), !line.contains(where: \.isNewline) else { return nil }
        let end = line.firstIndex(where: \.isWhitespace) ?? line.endIndex
        name = String(line[..<end])
        argument = line[end...].trimmingCharacters(in: .whitespaces)
    }

    /// The argument without the quotation marks around it, or without the backslashes of a shell: so people write what has
    /// spaces, and so terminals paste a file that is dropped on them.
    var word: String {
        for mark: Character in ["'", "\""] where argument.count > 1 && argument.first == mark && argument.last == mark {
            // As shells write such a mark inside.
            return String(argument.dropFirst().dropLast()).replacing(
                mark == "'" ? #"'\''"# : #"\""#, with: String(mark))
        }
        return argument.replacing(/\\(.)/) { $0.output.1 }
    }

    /// The ``word`` as a path, in which `~` is the user's folder.
    var path: String { NSString(string: word).expandingTildeInPath }

    /// What to say about a name that is none of some commands; nil if it is no misspelt command but a path or a formula.
    func hint(among commands: [(String, String)]) -> String? {
        guard name.dropFirst().allSatisfy(\.isLetter), name.count > 1 else { return nil }
        let names = commands.map { String($0.0.prefix { $0 != " " }) }
        let meant = names.first { $0.hasPrefix(name) } ?? nearestNames(to: name, among: names).first
        return "There is no command \(name). " + (meant.map { "Did you mean \($0)?" } ?? "See /help.")
    }
}
