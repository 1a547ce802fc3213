// SPDX-License-Identifier: Apache-2.0

package import Logging
package import ParleyHTTP

extension Logger {
    /// The log of a command: from the level that `PARLEY_LOG` names on, or with `--verbose` everything but traces;
    /// otherwise nothing.
    package static func commandLine(isVerbose: Bool, environment: ProcessEnvironment = .process) -> Logger {
        let named = environment["PARLEY_LOG"].flatMap { Level(rawValue: $0.lowercased()) }
        guard let level = named ?? (isVerbose ? .debug : nil) else {
            return Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }
        }
        return Logger(label: "parley") { _ in ConsoleLogHandler(logLevel: level) }
    }

    /// What to say of `PARLEY_LOG` where it names no level; nil where it names one or is not set.
    package static func remarkOnLevel(environment: ProcessEnvironment = .process) -> String? {
        guard let name = environment["PARLEY_LOG"], Level(rawValue: name.lowercased()) == nil else { return nil }
        let levels = Level.allCases.map(\.rawValue).joined(separator: ", ")
        return "PARLEY_LOG has no level \"\(name)\". The levels are \(levels)."
    }
}

/// Writes what is logged to standard error, a line for each message. Control characters are removed.
private struct ConsoleLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { _, own in own }.map { "\($0.key)=\($0.value)" }.sorted()
        Console().note((["\(event.level): \(event.message)"] + facts).joined(separator: " "))
    }
}
