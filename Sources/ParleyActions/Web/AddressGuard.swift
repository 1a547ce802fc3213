// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyHTTP

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
    /// - Parameters:
    ///   - url: the address.
    ///   - time: how long its name may be looked up.
    /// - Returns: the address to read.
    /// - Throws: ``AssistantError`` with code `refused`, or `storeUnavailable` if no address of its name is found in
    ///   time.
    package func check(_ url: URL, within time: Duration = .seconds(10)) async throws(AssistantError) -> URL {
        guard url.isOfWeb, var host = url.host(percentEncoded: true), url.absoluteString.utf8.count <= 4_096 else {
            throw AssistantError(.refused, "Only addresses of the web, with http or https, are read.")
        }
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
                throw AssistantError(.refused, "\(isName ? host : "The host") is no name of the internet.")
            }
            addresses = await lookUp(host, within: time)
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

    /// The addresses of a name; none if they are not found in time, or the task is cancelled.
    private func lookUp(_ host: String, within time: Duration) async -> [IPAddress] {
        let (answers, sink) = AsyncStream.makeStream(of: [IPAddress].self)
        // The system's look-up cannot be ended, so it is not waited for, but left alone when the time is over.
        let lookUp = Task { [resolver] in
            sink.yield(await resolver.addresses(of: host))
            sink.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            sink.finish()
        }
        defer {
            lookUp.cancel()
            timer.cancel()
        }
        for await addresses in answers { return addresses }
        return []
    }
}
