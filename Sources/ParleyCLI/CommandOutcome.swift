// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine

/// The text to print and the exit status after a command has thrown.
struct CommandOutcome {
    /// The exit status: 0 for requested help, 1 for failures, 2 for wrong usage, 3 for an incomplete reply under a
    /// schema, 130 for Ctrl-C.
    var status: Int32
    /// The text to print; may be empty.
    var text: String

    /// The outcome of an error; `arguments` are those after the program's name.
    init(of error: any Error, arguments: [String] = []) {
        if error is CancellationError {
            (status, text) = (130, "")
            return
        }
        if let error = error as? IncompleteReply {
            (status, text) = (IncompleteReply.status, ErrorText.of(error))
            return
        }
        switch ParleyCommand.exitCode(for: error) {
        case .success:
            if let misspelling = Self.misspelling(in: arguments) {
                (status, text) = (2, misspelling)
            } else {
                let help = UsageLine.wrapped(in: ParleyCommand.fullMessage(for: error), columns: Terminal.size.columns)
                (status, text) = (0, help + "\n")
            }
        case .validationFailure:
            let mistake = UsageMistake(error, of: ParleyCommand.self)
            // The library does not know which command has thrown while it ran, and refers to the program's help.
            let hint = mistake.hint?.replacing("'parley --help'", with: "'\(Self.command(in: arguments)) --help'")
            let lines = [mistake.message, hint].compactMap(\.self)
            (status, text) = (2, Self.misspelling(in: arguments) ?? lines.joined(separator: "\n"))
        default:
            status = (error as? ExitCode)?.rawValue ?? 1
            text = error is ExitCode ? "" : ErrorText.of(error)
        }
    }
}
