// SPDX-License-Identifier: Apache-2.0

#if MLX
    import CParleyMLX
    package import ParleyRuntime

    /// MLX, behind the library of C types that `scripts/install-mlx` compiles.
    ///
    /// `@unchecked Sendable`: the table of functions is a constant of the library.
    package struct MLXLibrary: EngineLibrary, @unchecked Sendable {
        /// The functions of the library.
        let functions: UnsafePointer<parley_mlx_functions>
        /// The version of MLX.
        package let version: String?

        package static let found: Result<MLXLibrary, RuntimeError> = Result { () throws(RuntimeError) in try .init() }

        private static let product = DynamicLibrary.Product(
            name: "MLX", script: "scripts/install-mlx", oldest: LibraryVersion(0, 32))

        private init() throws(RuntimeError) {
            let library = try DynamicLibrary(DynamicLibrary.fileName("parley-mlx"), of: Self.product)
            functions = try library.table(PARLEY_MLX_SYMBOL, interface: Int(PARLEY_MLX_INTERFACE))
            let version = functions.pointee.version().map { String(cString: $0) } ?? ""
            try Self.check(compiled: Int(functions.pointee.compiled), version: version)
            self.version = version
        }

        /// Checks that the library was compiled for the MLX beside it, whose types in C++ differ from version to version.
        ///
        /// - Parameters:
        ///   - compiled: the version of MLX that it was compiled for, in the way of MLX's own headers.
        ///   - version: the version of MLX that is loaded.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported`.
        package static func check(compiled: Int, version: String) throws(RuntimeError) {
            let loaded = try product.check(version: version)
            guard 100_000 * loaded.major + 1_000 * loaded.minor + loaded.patch == compiled else {
                throw product.mismatch(
                    "libparley-mlx was compiled for another version of MLX than \(version.prefix(30))")
            }
        }

        /// The error with which the last call on this thread failed.
        var failure: RuntimeError { Self.product.failure(functions.pointee.error()) }
    }
#endif
