// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import CParleyExecuTorch
    package import ParleyRuntime

    /// ExecuTorch, behind the library of C types that `scripts/install-executorch` compiles; opened at run time, so that nothing needs
    /// it to build.
    ///
    /// `@unchecked Sendable`: the table of functions is a constant of the library, which is never closed.
    package struct ExecuTorchLibrary: @unchecked Sendable {
        /// The functions of the library.
        let functions: UnsafePointer<parley_executorch_functions>
        /// The version of ExecuTorch.
        package let version: String

        /// The library, or the reason why it cannot be used; looked up once.
        private static let found: Result<ExecuTorchLibrary, RuntimeError> = Result { () throws(RuntimeError) in
            try .init(fileName: fileName)
        }

        /// Returns the library.
        ///
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported` if it is not installed or does not match.
        package static func checked() throws(RuntimeError) -> ExecuTorchLibrary { try found.get() }

        /// Why the library cannot be used; nil if it can.
        package static var problem: String? {
            if case .failure(let error) = found { return error.message }
            return nil
        }

        /// The version of ExecuTorch; nil if the library cannot be used.
        package static var version: String? { try? found.get().version }

        /// Opens a library.
        ///
        /// - Parameter fileName: its name, which the system's loader looks up, or its path.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported` if it is missing, or is not the one that this
        ///   program was built for.
        package init(fileName: String) throws(RuntimeError) {
            var reason: UnsafePointer<CChar>?
            guard let functions = parley_executorch_open(fileName, &reason) else {
                let found = reason.map { " (\(String(cString: $0).prefix(300)))" } ?? ""
                throw RuntimeError(
                    .unsupported,
                    "\(fileName) is not found, or ExecuTorch beside it is not\(found). scripts/install-executorch installs "
                        + "both and says how to build parley so that they are.")
            }
            let version = functions.pointee.version.map { String(cString: $0) } ?? "unknown"
            try Self.check(
                interface: Int(functions.pointee.interface), version: version, fileName: fileName)
            (self.functions, self.version) = (functions, version)
        }

        /// Checks that a library is the one that this program was built for.
        ///
        /// - Parameters:
        ///   - interface: the version of the C types that it was compiled for.
        ///   - version: the version of ExecuTorch that it was compiled for, and that lies beside it.
        ///   - fileName: its name, for messages.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported`.
        package static func check(interface: Int, version: String, fileName: String) throws(RuntimeError) {
            guard interface == Int(PARLEY_EXECUTORCH_INTERFACE) else {
                throw mismatch("\(fileName) was compiled for another version of Parley")
            }
            let numbers = version.split(separator: ".").map { Int($0) ?? 0 } + [0, 0]
            guard (numbers[0], numbers[1]) >= (oldest.major, oldest.minor) else {
                throw mismatch("ExecuTorch \(version.prefix(30)) is older than 1.5, with which this was tested")
            }
        }

        #if canImport(Darwin)
            private static let fileName = "libparley-executorch.dylib"
        #else
            private static let fileName = "libparley-executorch.so"
        #endif

        /// The oldest version that has been tested.
        private static let oldest = (major: 1, minor: 5)

        private static func mismatch(_ what: String) -> RuntimeError {
            RuntimeError(.unsupported, "\(what). Run scripts/install-executorch again.")
        }

        /// The error with which the last call on this thread failed.
        var failure: RuntimeError {
            let message = functions.pointee.error().map { String(cString: $0) } ?? ""
            return RuntimeError(
                .engineFailed, "ExecuTorch: \(message.isEmpty ? "no reason was given" : String(message.prefix(2_000)))")
        }
    }
#endif
