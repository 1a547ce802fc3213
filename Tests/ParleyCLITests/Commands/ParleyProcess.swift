// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport
import ParleyTesting

/// Runs the built `parley` in a directory of its own, without the user's environment and files.
final class ParleyProcess: Sendable {
    /// The result of a run.
    struct Outcome: Sendable {
        var status: Int32
        var output: Data
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        /// The lines on standard error.
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// The directory that the command runs in.
    let directory: URL

    init() throws {
        directory = URL.temporary()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Puts a file into the directory.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appending(path: name))
    }

    /// Puts a tiny model into the directory.
    func writeModel(_ model: TinyModel = TinyModel(), to name: String = "tiny.gguf") throws {
        try model.write(to: directory.appending(path: name))
    }

    /// Runs the command and waits for its end.
    func run(_ arguments: String..., input: String = "") async throws -> Outcome {
        try await run(arguments, input: input)
    }

    /// Runs the command and waits for its end.
    func run(_ arguments: [String], input: String = "") async throws -> Outcome {
        try await start(try Self.executable(), arguments, input: input)
    }

    /// Runs a script of the shell, to which the command is `$PARLEY`, and waits for its end.
    func run(script: String) async throws -> Outcome {
        try await start(URL(filePath: "/bin/sh"), ["-c", script], input: "")
    }

    /// Runs another program there, with this process's environment, and waits for its end.
    func run(program: URL, _ arguments: [String]) async throws -> Outcome {
        try await start(program, arguments, input: "", environment: ProcessInfo.processInfo.environment)
    }

    private func start(
        _ program: URL, _ arguments: [String], input: String, environment: [String: String]? = nil
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment =
            try environment ?? [
                "PARLEY_HOME": directory.path, "PATH": "/nonexistent", "HOME": directory.path,
                "PARLEY": Self.executable().path,
            ]
        try write(input, to: ".stdin")
        let names = [".stdout", ".stderr"].map { directory.appending(path: $0) }
        for name in names { try Data().write(to: name) }
        process.standardInput = try FileHandle(forReadingFrom: directory.appending(path: ".stdin"))
        process.standardOutput = try FileHandle(forWritingTo: names[0])
        process.standardError = try FileHandle(forWritingTo: names[1])
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Outcome(
            status: process.terminationStatus, output: try Data(contentsOf: names[0]),
            errors: String(decoding: try Data(contentsOf: names[1]), as: UTF8.self))
    }

    /// The program is beside the tests, some directories up if these are in a bundle.
    private static func executable() throws -> URL {
        let starts = CommandLine.arguments.map { URL(filePath: $0) } + [Bundle.main.bundleURL]
        for start in starts {
            var directory = start
            for _ in 0..<5 {
                directory.deleteLastPathComponent()
                let candidate = directory.appending(path: "parley")
                if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
                    return candidate
                }
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
