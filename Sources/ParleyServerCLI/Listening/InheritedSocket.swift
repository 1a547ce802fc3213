// SPDX-License-Identifier: Apache-2.0

/// A socket that the program was started with, on which it listens in place of an address of its own.
package struct InheritedSocket: Hashable, Sendable {
    /// The socket.
    package let descriptor: CInt
    /// Where clients find it.
    package let place: Place

    /// Where clients find a socket.
    package enum Place: Hashable, Sendable {
        /// An address of the internet's, and whether only this machine reaches it.
        case internet(host: String, port: Int, isLocal: Bool)
        /// A socket in the file system.
        case path(String)
    }

    /// Whether only programs of this machine reach it.
    package var isLocal: Bool {
        switch place {
        case .internet(_, _, let isLocal): isLocal
        case .path: true
        }
    }
}
