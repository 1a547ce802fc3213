// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as one word of a POSIX shell: unchanged where no character means something there, else in single
    /// quotes.
    package var shellQuoted: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "%+,-./:=@_".utf8.contains(byte)
            }
        }
        // Between single quotes only their own end has a meaning.
        return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }
}

/// A command as a message proposes it: it can be copied into a shell, whatever characters its arguments contain.
package struct ShellCommand: Sendable, CustomStringConvertible {
    private let line: String

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - command: the program, its subcommands and options, as they are typed.
    ///   - arguments: what follows them, such as the name of a model. It is quoted, and never read as an option.
    package init(_ command: String, _ arguments: String...) {
        let isMistakable = arguments.contains { $0.hasPrefix("-") }
        line = ([command] + (isMistakable ? ["--"] : []) + arguments.map(\.shellQuoted)).joined(separator: " ")
    }

    /// The command between quotation marks, which are typographic ones where the command itself has quotes.
    package var description: String { line.contains("'") ? "“\(line)”" : "'\(line)'" }
}
