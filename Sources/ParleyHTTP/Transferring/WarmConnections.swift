// SPDX-License-Identifier: Apache-2.0

/// The connections of a session that are open and wait for a request, as its answers let suppose. A pure value, with the
/// time handed in.
///
/// The system does not tell its connections. One on which an answer has been read to its end is kept, until the server
/// closes it.
package struct WarmConnections: Sendable {
    /// How long after an answer a connection counts: servers keep idle ones for five seconds and more.
    package static let time = Duration.seconds(4)
    /// More than the system keeps.
    private static let most = 64

    private var idle: [String: [Duration]] = [:]

    /// Creates the connections of a new session: none.
    package init() {}

    /// Notes that an answer has been read to its end.
    ///
    /// - Parameters:
    ///   - origin: the server's scheme, name and port.
    ///   - now: the time since the beginning of the session.
    package mutating func give(_ origin: String, now: Duration) {
        idle = idle.compactMapValues { times in
            let young = times.filter { now - $0 < Self.time }
            return young.isEmpty ? nil : young
        }
        idle[origin] = (idle[origin] ?? []).suffix(Self.most - 1) + [now]
    }

    /// Takes a connection for a request.
    ///
    /// - Parameters:
    ///   - origin: the server's scheme, name and port.
    ///   - now: the time since the beginning of the session.
    /// - Returns: whether there is likely one.
    package mutating func take(_ origin: String, now: Duration) -> Bool {
        guard let last = idle[origin]?.popLast() else { return false }
        return now - last < Self.time
    }
}
