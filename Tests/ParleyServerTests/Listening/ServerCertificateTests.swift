// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyServer
import Testing

@Suite("Certificates")
struct ServerCertificateTests {
    @Test("What cannot be read as one is refused by name; a build without encryption says how to make one with it.")
    func refusals() throws {
        let chain = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try Data("-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n".utf8).write(to: chain)
        defer { try? FileManager.default.removeItem(at: chain) }
        let error = #expect(throws: ServerError.self) { try ServerCertificate(chain: chain, key: chain) }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains(ServerCertificate.isSupported ? chain.path : "--traits TLS"))
    }
}
