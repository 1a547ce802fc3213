// SPDX-License-Identifier: Apache-2.0

#if MLX
    import CParleyMLX
    package import ParleyRuntime

    /// MLX, behind the library of C types that `scripts/install-mlx` compiles; opened at run time, so that nothing needs
    /// it to build.
    ///
    /// `@unchecked Sendable`: the table of functions is a constant of the library, which is never closed.
    package struct MLXLibrary: @unchecked Sendable {
        /// The functions of the library.
        let functions: UnsafePointer<parley_mlx_functions>
        /// The version of MLX.
        package let version: String

        /// The library, or the reason why it cannot be used; looked up once.
        private static let found: Result<MLXLibrary, RuntimeError> = Result { () throws(RuntimeError) in
            try .init(fileName: fileName)
        }

        /// Returns the library.
        ///
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported` if it is not installed or does not match.
        package static func checked() throws(RuntimeError) -> MLXLibrary { try found.get() }

        /// Why the library cannot be used; nil if it can.
        package static var problem: String? {
            if case .failure(let error) = found { return error.message }
            return nil
        }

        /// The version of MLX; nil if the library cannot be used.
        package static var version: String? { try? found.get().version }

        /// Opens a library.
        ///
        /// - Parameter fileName: its name, which the system's loader looks up, or its path.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported` if it is missing, or is not the one that this
        ///   program was built for.
        package init(fileName: String) throws(RuntimeError) {
            var reason: UnsafePointer<CChar>?
            guard let functions = parley_mlx_open(fileName, &reason) else {
                let found = reason.map { " (\(String(cString: $0).prefix(300)))" } ?? ""
                throw RuntimeError(
                    .unsupported,
                    "\(fileName) is not found, or MLX beside it is not\(found). scripts/install-mlx installs both and says "
                        + "how to build parley so that they are.")
            }
            let version = functions.pointee.version().map { String(cString: $0) } ?? "unknown"
            try Self.check(
                interface: Int(functions.pointee.interface), compiled: Int(functions.pointee.compiled),
                version: version, fileName: fileName)
            (self.functions, self.version) = (functions, version)
        }

        /// Checks that a library is the one that this program was built for.
        ///
        /// - Parameters:
        ///   - interface: the version of the C types that it was compiled for.
        ///   - compiled: the version of MLX that it was compiled for, in the way of MLX's own headers.
        ///   - version: the version of MLX that is loaded.
        ///   - fileName: its name, for messages.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported`.
        package static func check(
            interface: Int, compiled: Int, version: String, fileName: String
        ) throws(RuntimeError) {
            guard interface == Int(PARLEY_MLX_INTERFACE) else {
                throw mismatch("\(fileName) was compiled for another version of Parley")
            }
            // The interface is in C++, whose types differ from version to version.
            guard number(version) == compiled else {
                throw mismatch("\(fileName) was compiled for another version of MLX than \(version.prefix(30))")
            }
            guard compiled >= oldest else {
                throw mismatch("MLX \(version.prefix(30)) is older than 0.32, with which this was tested")
            }
        }

        #if canImport(Darwin)
            private static let fileName = "libparley-mlx.dylib"
        #else
            private static let fileName = "libparley-mlx.so"
        #endif

        /// The oldest version that has been tested, as ``number(_:)`` gives it.
        private static let oldest = 32_000

        /// A version as a number, in the way of MLX's own headers; nil for another text.
        private static func number(_ version: String) -> Int? {
            let parts = version.split(separator: ".").map { Int($0) }
            guard parts.count >= 3, let major = parts[0], let minor = parts[1], let patch = parts[2],
                (0..<100).contains(major), (0..<100).contains(minor), (0..<1_000).contains(patch)
            else { return nil }
            return 100_000 * major + 1_000 * minor + patch
        }

        private static func mismatch(_ what: String) -> RuntimeError {
            RuntimeError(.unsupported, "\(what). Run scripts/install-mlx again.")
        }

        /// The error with which the last call on this thread failed.
        var failure: RuntimeError {
            let message = functions.pointee.error().map { String(cString: $0) } ?? ""
            return RuntimeError(
                .engineFailed, "MLX: \(message.isEmpty ? "no reason was given" : String(message.prefix(2_000)))")
        }
    }
#endif
