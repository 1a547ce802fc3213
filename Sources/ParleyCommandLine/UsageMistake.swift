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
        message = Self.inHouseStyle(program.message(for: error))
        hint = program.fullMessage(for: error).split(separator: "\n").last { $0.contains("--help") }
            .map { String($0.drop { $0 == " " }) }
    }

    /// A message of the library as the programs' own are: in one line, and with a full stop.
    package static func inHouseStyle(_ message: String) -> String {
        let message = withoutFarName(message)
        if let flags = message.wholeMatch(of: /Value to be set with flag '(.+)' had .+ set with flag '(.+)'/) {
            return "\(flags.2) and \(flags.1) exclude each other."
        }
        let line: String
        if let list = message.firstRange(of: " one of the following:\n  - ") {
            let values = message[list.upperBound...].replacing("\n  - ", with: ", ")
            line = "\(message[..<list.lowerBound]) one of \(values)"
        } else {
            line = message
        }
        return line.contains("\n") || line.hasSuffix(".") || line.hasSuffix("?") ? line : line + "."
    }

    /// The message without a name that is suggested for an unknown option and has little in common with it, as the library
    /// suggests for every short one.
    private static func withoutFarName(_ message: String) -> String {
        guard let match = message.wholeMatch(of: /(Unknown option '-*(.+)')\. Did you mean '-*(.+)'\?/),
            nearestNames(to: String(match.2), among: [String(match.3)]).isEmpty
        else { return message }
        return String(match.1)
    }
}
