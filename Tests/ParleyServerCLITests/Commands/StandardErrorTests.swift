// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyServerCLI
import Testing

@Suite("What the server says beside its output")
struct StandardErrorTests {
    @Test("A log whose reader has gone is no reason to end.")
    func brokenLog() throws {
        // As in a server, where the listener has seen to it.
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let output = pipe.fileHandleForWriting
        let log = Logger(label: "test") { _ in LineLog(isJSON: false, logLevel: .info, to: output) }
        log.info("A request was answered.", metadata: ["id": "1"])
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.hasSuffix("info: A request was answered. id=1\n"))
        try pipe.fileHandleForReading.close()
        log.info("A request was answered.")
    }
}
