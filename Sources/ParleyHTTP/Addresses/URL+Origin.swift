// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension URL {
    /// The scheme, host and port of the address; the port is the scheme's default if none is given.
    package var origin: String {
        let scheme = (scheme ?? "").lowercased()
        return "\(scheme)://\((host() ?? "").lowercased()):\(port ?? (scheme == "http" ? 80 : 443))"
    }

    /// Why a response from this address may not redirect to another, as the end of a sentence that begins with the
    /// host; nil if it may.
    package func refusal(ofSendingTo target: URL) -> String? {
        guard let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme), target.host() != nil else {
            return "sends to an address that is none of the web"
        }
        if self.scheme?.lowercased() == "https", scheme != "https" {
            return "sends to an address without encryption"
        }
        // A server on the internet must not reach internal hosts through redirects of this client.
        if target.isInternal, !isInternal { return "sends to an address of this machine or its network" }
        return nil
    }

    /// Whether the host is this machine, as its name or IP address shows.
    package var isLoopback: Bool {
        var host = (host(percentEncoded: false) ?? "").lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        var fourth = in_addr()
        guard inet_pton(AF_INET, host, &fourth) == 1 else { return false }
        return withUnsafeBytes(of: &fourth) { $0[0] == 127 }
    }

    /// Whether the host is this machine or in its local network, as far as its name or IP address shows.
    var isInternal: Bool {
        var host = (host(percentEncoded: false) ?? "").lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if let isInternal = Self.isInternalNumber(host) { return isInternal }
        return !host.contains(".") || Self.internalEndings.contains { host.hasSuffix($0) }
    }

    private static let internalEndings = [
        ".localhost", ".local", ".lan", ".internal", ".intranet", ".corp", ".home.arpa",
    ]

    /// Whether an IP address is not routed on the internet; nil for names.
    private static func isInternalNumber(_ host: String) -> Bool? {
        var sixth = in6_addr()
        if host.contains(":") {
            let number = String(host.prefix { $0 != "%" })
            guard inet_pton(AF_INET6, number, &sixth) == 1 else { return true }
            let bytes = withUnsafeBytes(of: &sixth) { Array($0) }
            // An IPv4-mapped IPv6 address: ten zero bytes, two bytes 0xff, then the IPv4 address.
            if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
                return isInternalNumber(bytes[12...])
            }
            return bytes.dropLast().allSatisfy { $0 == 0 } || bytes[0] & 0xFE == 0xFC
                || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        }
        var fourth = in_addr()
        // Forms such as 127.1 and 0x7f000001 are also IPv4 addresses.
        guard host.first?.isNumber == true, inet_aton(host, &fourth) != 0 else { return nil }
        return isInternalNumber(withUnsafeBytes(of: &fourth) { Array($0) }[...])
    }

    private static func isInternalNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
        switch first {
        case 0, 10, 127: return true
        case 100: return second & 0xC0 == 64
        case 169: return second == 254
        case 172: return second & 0xF0 == 16
        case 192: return second == 168
        default: return false
        }
    }
}
