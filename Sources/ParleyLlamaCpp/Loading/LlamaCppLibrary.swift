// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    package import ParleyRuntime

    /// The llama.cpp library that this process is linked with.
    package struct LlamaCppLibrary: EngineLibrary {
        /// The version of the library; nil if it does not state one.
        package let version: String?
        /// Whether it can run layers on a graphics processor.
        package let supportsGPU: Bool

        /// The library, or the reason why it cannot be used; checked once.
        ///
        /// If the library is missing altogether, the system reports it before the program starts. Otherwise the error has
        /// the code `unsupported` if the library does not match the headers that Parley was compiled with.
        package static let found: Result<LlamaCppLibrary, RuntimeError> = Result { () throws(RuntimeError) in
            try .init()
        }

        private init() throws(RuntimeError) {
            version = parley_llama_version().map { String(cString: $0) }
            let name = version.map { "llama.cpp \($0)" } ?? "The llama.cpp of this machine"
            if let missing = parley_llama_missing_symbol() {
                throw RuntimeError(
                    .unsupported,
                    "\(name) has no function \(String(cString: missing)): it is older than the one Parley was built "
                        + "with. Install the newer one, or build Parley again.")
            }
            if let structure = parley_llama_foreign_structure() {
                throw RuntimeError(
                    .unsupported,
                    "\(name) is not the one that Parley was built with: \(String(cString: structure)) has another form. "
                        + "Build Parley again.")
            }
            parley_llama_start()
            supportsGPU = parley_llama_supports_gpu()
        }

        /// The last messages that the library reported to this thread, to be appended to an error message.
        static var report: String {
            let lines = String(cString: parley_llama_log()).split(whereSeparator: \.isNewline).suffix(8)
            return lines.isEmpty ? "" : "\nllama.cpp reports:\n" + lines.joined(separator: "\n")
        }
    }
#endif
