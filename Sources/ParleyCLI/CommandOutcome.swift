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
                (status, text) = (0, ParleyCommand.fullMessage(for: error) + "\n")
            }
        case .validationFailure:
            // The library does not know which command has thrown while it ran, and refers to the program's help.
            let hint = ParleyCommand.fullMessage(for: error).split(separator: "\n").last { $0.contains("--help") }
                .map { $0.trimmed.replacing("'parley --help'", with: "'\(Self.command(in: arguments)) --help'") }
            let message = [Misspelling.withoutFarName(ParleyCommand.message(for: error))] + (hint.map { [$0] } ?? [])
            (status, text) = (2, Self.misspelling(in: arguments) ?? message.joined(separator: "\n"))
        default:
            status = (error as? ExitCode)?.rawValue ?? 1
            text = error is ExitCode ? "" : ErrorText.of(error)
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
