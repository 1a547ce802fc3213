// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HummingbirdCore
import ParleyOpenAI

#if TLS
    import HummingbirdTLS
#endif

/// A certificate with its key, by which a server encrypts its connections (TLS 1.2 and 1.3).
///
/// Only builds with the package trait `TLS` can; others have none.
public struct ServerCertificate: Sendable {
    #if TLS
        private let configuration: TLSConfiguration
    #endif

    /// Whether this build can encrypt.
    public static var isSupported: Bool {
        #if TLS
            true
        #else
            false
        #endif
    }

    /// Reads a certificate. Files that are replaced later count from the next start on.
    ///
    /// - Parameters:
    ///   - chain: a file in PEM with the certificate, and after it those that vouch for it.
    ///   - key: a file in PEM with its private key.
    /// - Throws: ``ServerError`` if this build cannot encrypt, a file cannot be read, or the two do not belong together.
    public init(chain: URL, key: URL) throws(ServerError) {
        #if TLS
            do {
                let certificates = try NIOSSLCertificate.fromPEMFile(chain.path)
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: certificates.map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key.path, format: .pem)))
                configuration.minimumTLSVersion = .tlsv12
                configuration.applicationProtocols = ["http/1.1"]
                self.configuration = configuration
                // Whether the two belong together is told now, and not when the server listens.
                _ = try encrypting(HTTP1Channel { _, _, _ in })
            } catch {
                throw ServerError(
                    500, .invalidValue,
                    """
                    The certificate \(chain.path) with the key \(key.path) cannot be used: \(error). Both have to be in \
                    PEM and belong together, and the key must not have a password.
                    """, cause: error)
            }
        #else
            throw ServerError(
                500, .invalidValue,
                """
                This build does not encrypt. 'swift build -c release --product parley-server --traits TLS' makes one \
                that does; a proxy that speaks TLS can do it too.
                """)
        #endif
    }

    /// Connections that are encrypted.
    ///
    /// - Throws: an error of the library; none for a certificate that has been read.
    func encrypting(_ connections: HTTP1Channel) throws -> any ServerChildChannel {
        #if TLS
            try TLSChannel(connections, tlsConfiguration: configuration)
        #else
            connections
        #endif
    }
}
