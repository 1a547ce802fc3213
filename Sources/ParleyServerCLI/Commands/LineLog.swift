// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyJSON

/// Writes what is logged to standard error, a line for each message, as text or JSON. Control characters are removed.
struct LineLog: LogHandler {
    let isJSON: Bool
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    init(isJSON: Bool, logLevel: Logger.Level) {
        self.isJSON = isJSON
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
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
            line = String(words.joined(separator: " ").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
        }
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
