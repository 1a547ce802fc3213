// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP

/// Which names of hosts a request may be addressed to: literal addresses, `localhost`, the machine's name and those
/// that the user allows.
///
/// A page of another site that has its own name point to this machine (DNS rebinding) sends that name.
package struct HostRule: Hashable, Sendable {
    /// The names, in small letters.
    private var names: Set<String>

    package init(names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
        self.names.insert("localhost")
    }

    /// Whether a request with this `Host` is taken.
    package func allows(_ authority: String) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        // Nobody can point a literal address elsewhere.
        return names.contains(host) || IPAddress(literal: host) != nil
    }

    /// The host of `host`, `host:port` or `[address]:port`; nil if it is none of them.
    package static func host(of authority: String) -> String? {
        let bytes = Array(authority.utf8)
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), isPort(bytes[(end + 1)...]) else { return nil }
            return String(decoding: bytes[...end], as: UTF8.self).lowercased()
        }
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
        guard end > 0, isPort(bytes[end...]) else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.isEmpty
            || bytes.first == UInt8(ascii: ":") && bytes.count <= 6
                && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
