// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("What the scripts of Benchmarks need")
struct ScriptNeedsTests {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../Benchmarks").standardizedFileURL

    @Test(
        "a package or a program that is missing is told in one line with its remedy",
        arguments: [
            (
                ["shapes.py", "--list"],
                "shapes.py needs the Python package gguf. scripts/fetch-references installs it."
            ),
            (
                ["downloads.py", "pair", "--parley", "/nonexistent/parley"],
                "There is no program /nonexistent/parley. 'swift build -c release' builds Parley's."
            ),
            (
                ["speech.py", "/nonexistent", "--only", "faster"],
                "speech.py needs the Python package faster_whisper. "
                    + "python3 -m pip install faster-whisper whisper-normalizer installs it."
            ),
            (
                ["speech.py", "/nonexistent", "--only", "whisper.cpp", "--whisper-cpp", "/nonexistent"],
                "There is no program /nonexistent/whisper-cli. "
                    + "The text at the head of Benchmarks/speech.py says where programs come from."
            ),
            (
                ["serve.py", "/nonexistent", "--parley", "/nonexistent"],
                "There is no program /nonexistent/parley. 'swift build -c release' builds Parley's."
            ),
            (
                ["serve.py", "/nonexistent", "--llama-server", "/nonexistent/llama-server"],
                "There is no program /nonexistent/llama-server. scripts/reference/build-llama-cpp builds llama.cpp's."
            ),
        ])
    func missing(arguments: [String], message: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Without the packages of this machine, and without leaving compiled files.
        process.arguments = ["python3", "-ESB"] + arguments
        process.currentDirectoryURL = Self.folder
        process.environment = ProcessInfo.processInfo.environment.merging(["PARLEY_REFERENCES": "/nonexistent"]) { $1 }
        let errors = Pipe()
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
        try process.run()
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1 && told == message + "\n", "\(told)")
    }
}
