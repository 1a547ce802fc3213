// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine

/// `parley serve`: hands over to the program `parley-server`, which is apart because it takes minutes to build.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves models over HTTP to every program that speaks OpenAI's API.",
        discussion: """
            The server is the program parley-server, beside this one or on the PATH. All arguments are its own: \
            'parley serve --help' shows them. 'swift build -c release --product parley-server' builds it.
            """)

    @Argument(parsing: .captureForPassthrough, help: "The arguments of parley-server.")
    var arguments: [String] = []

    func run() throws {
        let beside = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: Self.program).path
        if let beside, FileManager.default.isExecutableFile(atPath: beside) { try replaceProcess(beside) }
        try replaceProcess(Self.program)
    }

    private static let program = "parley-server"

    /// Runs a program in place of this one; returns if there is none of its name.
    private func replaceProcess(_ program: String) throws {
        var words: [UnsafeMutablePointer<CChar>?] = ([Self.program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        execvp(program, words)
        guard errno == ENOENT else {
            throw CommandError("\(Self.program) could not be started: \(String(cString: strerror(errno))).")
        }
        guard program == Self.program else { return }
        let console = Console()
        console.error(
            """
            There is no \(Self.program) beside parley or on the PATH. In Parley's directory, \
            'swift build -c release --product \(Self.program)' builds it (a few minutes, once).
            """)
        // The options are the server's own, but what it is can be said without it.
        if arguments.contains(where: { ["--help", "-h", "help"].contains($0) }) {
            console.note("\n" + ParleyCommand.helpMessage(for: Self.self))
        }
        throw ExitCode.failure
    }
}
