// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine

/// `parley serve`: the program `parley-server`, which is apart because it takes minutes to build. What is declared here is
/// for the help and for shells, which complete it; `parley` hands over before it reads any of it.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves models over HTTP to every program that speaks OpenAI's API.",
        discussion: """
            The server is the program parley-server, beside this one or on the PATH. \
            'swift build -c release --product parley-server' builds it.
            """)

    @Argument(help: "The models to load, or the command keys.", completion: .model)
    var models: [String] = []

    @OptionGroup
    var options: ServeOptions

    /// Runs the server in place of this program.
    ///
    /// - Throws: ``CommandError`` where there is none; `CleanExit` where the help is asked for, which needs none.
    static func handOver(_ arguments: [String]) throws {
        let beside = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: Self.program).path
        if let beside, FileManager.default.isExecutableFile(atPath: beside) { try replaceProcess(beside, arguments) }
        try replaceProcess(Self.program, arguments)
    }

    private static let program = "parley-server"

    /// Runs a program in place of this one; returns if there is none of its name.
    private static func replaceProcess(_ program: String, _ arguments: [String]) throws {
        var words: [UnsafeMutablePointer<CChar>?] = ([Self.program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        execvp(program, words)
        guard errno == ENOENT else {
            throw CommandError("\(Self.program) could not be started: \(String(cString: strerror(errno))).")
        }
        guard program == Self.program else { return }
        if arguments.contains(where: { ["--help", "-h", "help"].contains($0) }) {
            throw CleanExit.helpRequest(Self.self)
        }
        throw CommandError(
            """
            There is no \(Self.program) beside parley or on the PATH. In Parley's directory, \
            'swift build -c release --product \(Self.program)' builds it (a few minutes, once).
            """)
    }
}
