// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON

/// A file that an option names; `-` is standard input.
package enum InputFile {
    /// Its bytes, read to the end: it may be a pipe.
    package static func bytes(_ path: String) throws -> [UInt8] {
        do {
            let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
            return Array(try file.readToEnd() ?? Data())
        } catch {
            throw CommandError("Cannot read \(path). Check that the file exists and may be read.", cause: error)
        }
    }

    /// Its text.
    static func text(_ path: String) throws -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw CommandError("\(path) is not text in UTF-8.")
        }
        return text
    }

    /// Its JSON.
    static func json(_ path: String) throws -> JSONValue {
        do {
            return try JSONValue(parsing: try bytes(path))
        } catch let error as JSONError {
            throw CommandError("\(path) is not valid JSON: \(error)", cause: error)
        }
    }
}
