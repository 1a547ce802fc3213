// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import CParleySHA256

    extension SHA256Hash {
        /// A hash on its way.
        struct Running {
            /// Asked once, for asking the processor takes longer than to hash a name.
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
