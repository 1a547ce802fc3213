// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import CParleySHA256

    extension SHA256Hash {
        /// The state of a digest that is being computed.
        struct Running {
            /// Initialised once, because detecting the processor's features takes longer than hashing a short text.
            private static let empty: parley_sha256 = {
                var hash = parley_sha256()
                parley_sha256_begin(&hash, parley_sha256_best())
                return hash
            }()

            private var hash = Self.empty

            mutating func update(_ bytes: UnsafeRawBufferPointer) {
                parley_sha256_update(&hash, bytes.baseAddress, bytes.count)
            }

            var digest: [UInt8] {
                withUnsafePointer(to: hash) { hash in
                    [UInt8](unsafeUninitializedCapacity: Int(PARLEY_SHA256_DIGEST_BYTES)) { buffer, count in
                        count = buffer.count
                        parley_sha256_digest(hash, buffer.baseAddress)
                    }
                }
            }
        }
    }
#endif
