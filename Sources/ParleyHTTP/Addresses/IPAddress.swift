// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An address of IPv4 or IPv6.
package struct IPAddress: Hashable, Sendable {
    /// The address's 4 or 16 bytes.
    package let bytes: [UInt8]

    /// Takes the bytes of an address; nil for any other number than 4 or 16.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads the host of a URL, without brackets, in all notations that systems accept: also `127.1`, `0x7f000001`,
    /// `017700000001` and `2130706433`. Nil if it is a name.
    package init?(host: String) {
        if host.contains(":") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1 else { return nil }
            bytes = withUnsafeBytes(of: &address) { Array($0) }
        } else {
            var address = in_addr()
            guard host.utf8.first.map({ (0x30...0x39).contains($0) }) == true, inet_aton(host, &address) != 0 else {
                return nil
            }
            bytes = withUnsafeBytes(of: &address) { Array($0) }
        }
    }

    /// Reads the host of a URL in the one notation that all systems read alike: four decimal numbers, or IPv6, with
    /// brackets or without. Nil for names, and for what some systems read as another address than others.
    package init?(literal host: String) {
        // The system's functions read up to a zero.
        guard !host.utf8.contains(0) else { return nil }
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var fourth = in_addr()
        var sixth = in6_addr()
        if inet_pton(AF_INET, text, &fourth) == 1 {
            bytes = withUnsafeBytes(of: &fourth) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixth) == 1 {
            bytes = withUnsafeBytes(of: &sixth) { Array($0) }
        } else {
            return nil
        }
    }

    /// Whether this machine alone is reached by the address: 127.0.0.0/8, also as it is written in IPv6, and ::1.
    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        return isMapped ? bytes[12] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether this is an address of IPv4 in IPv6 (::ffff:0:0/96).
    private var isMapped: Bool {
        bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    /// Whether the address belongs to one machine of the internet: not to this machine, its network, a group of
    /// machines, documentation or tests, nor to a tunnel that could lead to such.
    package var isPublic: Bool {
        if bytes.count == 4 { return Self.isPublic4(bytes[...]) }
        // IPv4 in IPv6: mapped, and translated (64:ff9b::/96).
        let isTranslated = bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8))
        if isMapped || isTranslated { return Self.isPublic4(bytes[12...]) }
        // Of all of IPv6 only 2000::/3 is given to machines of the internet.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1]) {
        case (0x20, 0x01): return bytes[2] & 0xFE != 0 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        case (0x20, 0x02): return false
        case (0x3F, 0xFF): return bytes[2] & 0xF0 != 0
        default: return true
        }
    }

    private static func isPublic4(_ bytes: ArraySlice<UInt8>) -> Bool {
        let (first, second, third) = (
            bytes[bytes.startIndex], bytes[bytes.startIndex + 1], bytes[bytes.startIndex + 2]
        )
        return switch (first, second, third) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }
}
