// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCommandLine
import ParleyJSON

/// A file that an option names; `-` is standard input.
package enum InputFile {
    /// The maximum number of bytes that are read, because a stream may be endless.
    package static let mostBytes = 256 << 20

    /// Reads the bytes of a file or pipe up to its end.
    ///
    /// - Throws: ``CommandError`` where it cannot be read or is too long.
    package static func bytes(_ path: String, atMost limit: Int = mostBytes) throws -> [UInt8] {
        if path == "-" { explainTyping(of: "the input") }
        var bytes: [UInt8] = []
        do {
            let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
            while bytes.count <= limit, let more = try file.read(upToCount: 1 << 20), !more.isEmpty { bytes += more }
        } catch {
            let problem =
                path == "-"
                ? "Cannot read the input. Pipe some text in."
                : "Cannot read \(path). Check that the file exists and may be read."
            throw CommandError(problem, cause: error)
        }
        try check(bytes.count, atMost: limit, of: name(of: path))
        return bytes
    }

    /// Says how an input ends that is typed, because nothing else shows that the program waits.
    ///
    /// - Parameters:
    ///   - name: what is typed.
    ///   - isTyped: whether the input comes from a terminal.
    ///   - tell: shows a remark.
    package static func explainTyping(
        of name: String, isTyped: Bool = Terminal.Stream.input.isTerminal,
        tell: (String) -> Void = { Console().note($0) }
    ) {
        if isTyped { tell("Write \(name), and Ctrl-D on a line of its own at the end.") }
    }

    /// What a file is called at the beginning of a sentence.
    static func name(of path: String) -> String { path == "-" ? "The input" : path }

    /// Throws ``CommandError`` for an input longer than the limit.
    static func check(_ count: Int, atMost limit: Int = mostBytes, of name: String) throws {
        guard count > limit else { return }
        throw CommandError("\(name) is longer than the maximum of \(limit >> 20) MiB.")
    }

    /// Reads a file as UTF-8 text.
    static func text(_ path: String) throws -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw CommandError("\(name(of: path)) is not text in UTF-8.")
        }
        return text
    }

    /// Reads a file as JSON.
    static func json(_ path: String) throws -> JSONValue {
        do {
            return try JSONValue(parsing: try bytes(path))
        } catch let error as JSONError {
            throw CommandError("\(name(of: path)) is not valid JSON: \(error)", cause: error)
        }
    }
}
