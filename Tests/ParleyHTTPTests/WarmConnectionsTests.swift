// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP
import Testing

@Suite("Connections that are likely open")
struct WarmConnectionsTests {
    private let start = Duration.zero
    private let origin = "http://a:80"

    @Test("each answer leaves one connection to its server, for one request")
    func counts() {
        var warm = WarmConnections()
        warm.expect(false, origin, start)
        warm.give(origin, now: start)
        warm.give(origin, now: start)
        warm.expect(false, "http://b:80", start)
        warm.expect(true, origin, start)
        warm.expect(true, origin, start)
        warm.expect(false, origin, start)
    }

    @Test("a connection that has been idle for some seconds may be closed, and the youngest is taken first")
    func ageing() {
        var warm = WarmConnections()
        warm.give(origin, now: start)
        warm.give(origin, now: start + .seconds(3))
        let later = start + WarmConnections.time
        warm.expect(true, origin, later)
        warm.expect(false, origin, later)
        warm.give(origin, now: later)
        warm.expect(false, origin, later + WarmConnections.time)
    }
}

extension WarmConnections {
    /// Expects that a connection is there or not, and takes it.
    fileprivate mutating func expect(_ isThere: Bool, _ origin: String, _ now: Duration) {
        let isTaken = take(origin, now: now)
        #expect(isTaken == isThere)
    }
}
