// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant

/// Decides which addresses may be read because a page or a model names them: those of the public web alone.
///
/// A name is looked up, and refused if one of its addresses is not public. What remains open: the connection is made by
/// URLSession, which looks the name up once more, so a server of names that gives another address a moment later is
/// not noticed. Closing that takes connections to addresses that were checked, which URLSession does not offer.
package struct AddressGuard: Sendable {
    private let resolver: any HostResolver

    /// Creates a guard.
    package init(resolver: any HostResolver = SystemHostResolver()) { self.resolver = resolver }

    /// Checks an address, without user, password and fragment from then on.
    ///
    /// - Returns: the address to read.
    /// - Throws: ``AssistantError`` with code `refused`, or `storeUnavailable` if its name has no address.
    package func check(_ url: URL) async throws(AssistantError) -> URL {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            var host = url.host(percentEncoded: true), !host.isEmpty, url.absoluteString.utf8.count <= 4_096
        else { throw AssistantError(.refused, "Only addresses of the web, with http or https, are read.") }
        if let port = url.port, port < 1_024, ![80, 443].contains(port) {
            throw AssistantError(.refused, "The port \(port) is none of the web.")
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.hasSuffix(".") { host.removeLast() }
        let addresses: [IPAddress]
        if let address = IPAddress(host: host) {
            addresses = [address]
        } else {
            // Other characters, as in full-width digits, may become others on the way to the system.
            let isName = host.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            }
            // A last part that begins with a digit is a notation of a number, never a name of the internet.
            let last = host.split(separator: ".").last ?? ""
            guard isName, host.utf8.count <= 253, host.contains("."), last.first?.isLetter == true else {
                throw AssistantError(.refused, "The host is no name of the internet.")
            }
            addresses = await resolver.addresses(of: host)
            if addresses.isEmpty { throw AssistantError(.storeUnavailable, "\(host) cannot be found.") }
        }
        guard addresses.allSatisfy(\.isPublic) else {
            throw AssistantError(.refused, "\(host) is an address of this machine or its network, which is not read.")
        }
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw AssistantError(.refused, "The address cannot be read.")
        }
        (components.user, components.password, components.fragment) = (nil, nil, nil)
        guard let checked = components.url, checked.host() == url.host() else {
            throw AssistantError(.refused, "The address cannot be read.")
        }
        return checked
    }
}
