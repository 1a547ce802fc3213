// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import CryptoKit

    extension SHA256Hash {
        /// The state of a digest that is being computed.
        struct Running {
            private var hash = SHA256()

            mutating func update(_ bytes: UnsafeRawBufferPointer) {
                hash.update(bufferPointer: bytes)
            }

            var digest: [UInt8] {
                Array(hash.finalize())
            }
        }
    }
#endif
