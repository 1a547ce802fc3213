// SPDX-License-Identifier: Apache-2.0

import Logging
import ParleyCLI
import ParleyHTTP
import ParleyTestSupport
import Testing

@Suite("Logging of commands")
struct LoggerCommandLineTests {
    @Test("PARLEY_LOG names the level, --verbose takes debug, and nothing is logged without them")
    func levels() {
        #expect(Logger.commandLine(isVerbose: false, environment: ["PARLEY_LOG": "Warning"]).logLevel == .warning)
        #expect(Logger.commandLine(isVerbose: true, environment: [:]).logLevel == .debug)
        #expect(Logger.commandLine(isVerbose: true, environment: ["PARLEY_LOG": "nonsense"]).logLevel == .debug)
        #expect(Logger.commandLine(isVerbose: false, environment: [:]).handler is SwiftLogNoOpLogHandler)
    }

    @Test("a level that does not exist is told with those that do")
    func unknownLevel() {
        #expect(Logger.remarkOnLevel(environment: ["PARLEY_LOG": "Warning"]) == nil)
        #expect(Logger.remarkOnLevel(environment: [:]) == nil)
        #expect(Logger.remarkOnLevel(environment: ["PARLEY_LOG": "foo"])?.contains("trace, debug, info") == true)
    }
}
