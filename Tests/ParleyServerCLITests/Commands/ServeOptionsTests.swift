// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import Testing

@Suite("The options of parley serve")
struct ServeOptionsTests {
    @Test("The usual values are those that docs/serving.md tells, and open nothing to others.")
    func usual() throws {
        let options = try ServeOptions.parse([])
        #expect(options.host == "127.0.0.1" && options.port == 8_080 && !options.insecureHttp)
        #expect(options.parallel == 16 && options.queue == 256 && options.queueTimeout == 120)
        #expect(options.requestTimeout == 600 && options.keepAlive == 900 && options.kvMemory == nil)
        #expect(options.page && options.otherSounds)
    }

    @Test(
        "What cannot be meant is refused, with the option.",
        arguments: [
            ["--port", "65536"], ["--port", "-1"], ["--parallel", "0"], ["--queue", "-1"], ["--queue-timeout", "0"],
            ["--request-timeout", "0"], ["--keep-alive", "-1"], ["--kv-memory", "0"], ["--context", "0"],
            ["--threads", "0"], ["--tls-cert", "chain.pem"], ["--tls-key", "key.pem"], ["--alias", "name"],
            ["--alias", "=model"],
        ])
    func refusals(arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) { try ServeOptions.parse(arguments) }
        #expect(ServeOptions.message(for: error).contains(arguments[0]))
    }
}
