// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import CParleyExecuTorch
    package import ParleyRuntime

    /// ExecuTorch, behind the library of C types that `scripts/install-executorch` compiles.
    ///
    /// `@unchecked Sendable`: the table of functions is a constant of the library.
    package struct ExecuTorchLibrary: EngineLibrary, @unchecked Sendable {
        /// The functions of the library.
        let functions: UnsafePointer<parley_executorch_functions>
        /// The version of ExecuTorch that the library was compiled with, and that lies beside it.
        package let version: String?

        package static let found: Result<ExecuTorchLibrary, RuntimeError> = Result { () throws(RuntimeError) in
            try .init()
        }

        private static let product = DynamicLibrary.Product(
            name: "ExecuTorch", script: "scripts/install-executorch", oldest: LibraryVersion(1, 5))

        private init() throws(RuntimeError) {
            let library = try DynamicLibrary(DynamicLibrary.fileName("parley-executorch"), of: Self.product)
            functions = try library.table(PARLEY_EXECUTORCH_SYMBOL, interface: Int(PARLEY_EXECUTORCH_INTERFACE))
            let version = functions.pointee.version.map { String(cString: $0) } ?? ""
            try Self.product.check(version: version)
            self.version = version
        }

        /// The error with which the last call on this thread failed.
        var failure: RuntimeError { Self.product.failure(functions.pointee.error()) }
    }
#endif
