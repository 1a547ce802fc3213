// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension URL {
    /// The scheme, host and port of the address; the port is the scheme's default if none is given.
    package var origin: String {
        let scheme = (scheme ?? "").lowercased()
        return "\(scheme)://\((host() ?? "").lowercased()):\(port ?? (scheme == "http" ? 80 : 443))"
    }

    /// Whether it is an address of the web: one of http or https, with a host.
    package var isOfWeb: Bool { ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false }

    /// Why a response from this address may not redirect to another, as the end of a sentence that begins with the
    /// host; nil if it may.
    package func refusal(ofSendingTo target: URL) -> String? {
        guard target.isOfWeb else { return "sends to an address that is none of the web" }
        if scheme?.lowercased() == "https", target.scheme?.lowercased() != "https" {
            return "sends to an address without encryption"
        }
        // A server on the internet must not reach internal hosts through redirects of this client.
        if target.isInternal, !isInternal { return "sends to an address of this machine or its network" }
        return nil
    }

    /// Whether the host is this machine, as its name or IP address shows.
    package var isLoopback: Bool { Self.isLoopback(host: host(percentEncoded: false) ?? "") }

    /// Whether a host is this machine: `localhost`, a name below it, or an address of its own as all systems read it.
    ///
    /// Names with a dot at their end do not count: the system looks them up like any other.
    package static func isLoopback(host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || IPAddress(literal: host)?.isLoopback == true
    }

    /// Whether the host is this machine or in its local network, or otherwise not one machine of the internet, as far as
    /// its name or IP address shows.
    var isInternal: Bool {
        var host = (host(percentEncoded: false) ?? "").lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if let address = IPAddress(host: host) { return !address.isPublic }
        return !host.contains(".") || host.contains(":") || Self.internalEndings.contains { host.hasSuffix($0) }
    }

    private static let internalEndings = [
        ".localhost", ".local", ".lan", ".internal", ".intranet", ".corp", ".home.arpa",
    ]
}
