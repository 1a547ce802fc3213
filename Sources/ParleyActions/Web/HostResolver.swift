// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
package import ParleyHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds the addresses of a name.
package protocol HostResolver: Sendable {
    /// All addresses of a name; none if it has none or cannot be looked up.
    func addresses(of host: String) async -> [IPAddress]
}

/// Asks the system.
package struct SystemHostResolver: HostResolver {
    /// Creates a resolver.
    package init() {}

    /// All addresses of a name, as the system's resolver says.
    package func addresses(of host: String) async -> [IPAddress] {
        await withCheckedContinuation { continuation in
            // The system's function blocks for as long as its own limits allow.
            DispatchQueue.global().async { continuation.resume(returning: Self.lookUp(host)) }
        }
    }

    private static func lookUp(_ host: String) -> [IPAddress] {
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, nil, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var result: [IPAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            let found: IPAddress?
            switch entry.ai_family {
            case AF_INET:
                found = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    IPAddress(bytes: withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) })
                }
            case AF_INET6:
                found = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    IPAddress(bytes: withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) })
                }
            default: found = nil
            }
            if let found, !result.contains(found) { result.append(found) }
        }
        return result
    }
}
