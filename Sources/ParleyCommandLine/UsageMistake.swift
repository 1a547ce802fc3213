// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ParleyModels

/// What the programs say of wrong usage.
package struct UsageMistake: Sendable {
    /// What is wrong.
    package let message: String
    /// Where the help is; nil if the library does not know.
    package let hint: String?

    /// Reads an error of the command line.
    ///
    /// - Parameters:
    ///   - error: an error with the exit code of a validation failure.
    ///   - program: the program's first command.
    package init<Program: ParsableArguments>(_ error: any Error, of program: Program.Type) {
        message = Self.withoutFarName(program.message(for: error))
        hint = program.fullMessage(for: error).split(separator: "\n").last { $0.contains("--help") }
            .map { String($0.drop { $0 == " " }) }
    }

    /// The message without a name that is suggested for an unknown option and has little in common with it, as the library
    /// suggests for every short one.
    package static func withoutFarName(_ message: String) -> String {
        guard let match = message.wholeMatch(of: /(Unknown option '-*(.+)')\. Did you mean '-*(.+)'\?/),
            nearestNames(to: String(match.2), among: [String(match.3)]).isEmpty
        else { return message }
        return String(match.1)
    }
}
