// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Logging
import ParleyJSON
import ParleySystem

/// Writes what is logged to standard error, a line for each message, as text or JSON. Control characters are removed.
package struct LineLog: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let isJSON: Bool
    private let output: FileHandle

    /// Creates a log; it goes on where nobody reads its output any more.
    package init(isJSON: Bool, logLevel: Logger.Level, to output: FileHandle = .standardError) {
        self.isJSON = isJSON
        self.logLevel = logLevel
        self.output = output
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { _, own in own }.sorted { $0.key < $1.key }
        let time = Date().formatted(.iso8601)
        let line: String
        if isJSON {
            var members: JSONObject = [
                "time": .string(time), "level": .string("\(event.level)"), "message": .string("\(event.message)"),
            ]
            for (key, value) in facts { members[key] = .string("\(value)") }
            line = JSONValue.object(members).text()
        } else {
            let words = ["\(time) \(event.level): \(event.message)"] + facts.map { "\($0.key)=\($0.value)" }
            line = PlainText.line(words.joined(separator: " "))
        }
        StandardError.write(line + "\n", to: output)
    }
}
