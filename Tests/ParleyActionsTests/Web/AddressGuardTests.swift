// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import Testing

@Suite("The guard of addresses", .timeLimit(.minutes(15)))
struct AddressGuardTests {
    /// Knows names without a network.
    private struct Names: HostResolver {
        func addresses(of host: String) async -> [IPAddress] {
            let known = [
                "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
                "rebound.example.com": ["93.184.215.14", "127.0.0.1"], "inside.example.com": ["10.1.2.3"],
                "inside6.example.com": ["fd00::1"],
            ]
            return (known[host.lowercased()] ?? []).compactMap { IPAddress(host: $0) }
        }
    }

    /// Waits until the test ends it.
    private struct Silence: HostResolver {
        let gate: AsyncStream<Void>
        func addresses(of host: String) async -> [IPAddress] {
            for await _ in gate {}
            return []
        }
    }

    @Test("A name that is not found in time is not waited for")
    func late() async throws {
        let (gate, end) = AsyncStream.makeStream(of: Void.self)
        let url = try #require(URL(string: "https://example.com/"))
        let error = await #expect(throws: AssistantError.self) {
            try await AddressGuard(resolver: Silence(gate: gate)).check(url, within: .milliseconds(1))
        }
        #expect(error?.code == .storeUnavailable)
        end.finish()
    }

    private func check(_ text: String) async throws -> URL {
        try await AddressGuard(resolver: Names()).check(
            try #require(URL(string: text), "\(text)"), within: .seconds(600))
    }

    @Test(
        "Addresses of the public web pass, without user and fragment",
        arguments: [
            ("https://example.com/a?b=c#d", "https://example.com/a?b=c"),
            ("http://me:secret@example.com:8080/", "http://example.com:8080/"),
            ("https://93.184.215.14/", "https://93.184.215.14/"), ("https://example.com./", "https://example.com./"),
            ("http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", "http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/"),
            ("http://[::ffff:93.184.215.14]/", "http://[::ffff:93.184.215.14]/"),
        ])
    func allowed(_ text: String, _ checked: String) async throws {
        #expect(try await check(text).absoluteString == checked)
    }

    @Test(
        "This machine, its network, groups and tunnels are refused, however they are written",
        arguments: [
            "http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/",
            "http://0x7f.0.0.1/", "http://017700000001/", "http://0177.0.0.1/", "http://127.0.0.1./", "http://0/",
            "http://0.0.0.0/", "http://10.0.0.1/", "http://100.64.0.1/", "http://169.254.169.254/latest/meta-data",
            "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/", "http://198.18.0.1/",
            "http://224.0.0.1/", "http://239.255.255.250/", "http://255.255.255.255/", "http://192.0.2.1/",
            "http://[::]/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::10.0.0.1]/",
            "http://[64:ff9b:1::a00:1]/", "http://[2002:7f00:1::]/", "http://[2001:0:7f00:1::]/",
            "http://[2001:db8::1]/", "http://[3fff::1]/", "http://[fc00::1]/", "http://[fd12:3456::1]/",
            "http://[fe80::1]/", "http://[fec0::1]/", "http://[ff02::1]/", "http://localhost/",
            "http://rebound.example.com/", "http://inside.example.com/", "http://inside6.example.com/",
            "http://router/", "http://127.0.0.1.5/", "http://1.2.3.4x.5/",
        ])
    func refused(_ text: String) async throws {
        let error = await #expect(throws: AssistantError.self, "\(text)") { try await check(text) }
        #expect(error?.code == .refused, "\(text)")
    }

    @Test(
        "Other schemes, ports of other services and names that nobody has are refused",
        arguments: [
            ("file:///etc/passwd", AssistantError.Code.refused), ("ftp://example.com/", .refused),
            ("gopher://example.com/", .refused), ("https://example.com:22/", .refused),
            ("https://example.com:25/", .refused), ("https://nobody.example.com/", .storeUnavailable),
        ])
    func others(_ text: String, _ code: AssistantError.Code) async throws {
        let error = await #expect(throws: AssistantError.self) { try await check(text) }
        #expect(error?.code == code)
    }

    @Test("A host that no page of the internet has is named")
    func named() async throws {
        let error = await #expect(throws: AssistantError.self) { try await check("https://router/") }
        #expect(error?.message == "router is no name of the internet.")
    }

    @Test("Digits of other scripts and escapes do not become another address")
    func disguises() async throws {
        for text in ["http://１２７.0.0.1/", "http://%31%32%37.0.0.1/", "http://127。0。0。1/", "http://ⓛocalhost/"] {
            // Foundation itself may refuse it, or read it as the address that it stands for.
            guard let url = URL(string: text) else { continue }
            await #expect(throws: AssistantError.self, "\(text)") {
                try await AddressGuard(resolver: Names()).check(url, within: .seconds(600))
            }
        }
    }
}
