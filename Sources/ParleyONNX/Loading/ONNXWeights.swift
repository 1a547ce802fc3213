// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyRuntime

    /// A network in memory, owned by the thread that loads it.
    final class ONNXWeights {
        let pointer: OpaquePointer
        let library: ONNXLibrary

        /// Loads the network of a folder whose description has been checked.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        init(path: String, threads: Int, library: ONNXLibrary) throws(RuntimeError) {
            self.library = library
            let config = try library.create { library.createConfig(path, $0) }
            defer { library.destroyConfig(config) }
            // What providers a file names is not loaded: the processor's own is always there.
            try library.check(library.clearProviders(config))
            // Messages are thrown, not printed: only what ends the process anyway is (4).
            let options = #"{"intra_op_num_threads": \#(threads), "log_severity_level": 4}"#
            try library.check(
                library.overlayConfig(config, #"{"model": {"decoder": {"session_options": \#(options)}}}"#))
            pointer = try library.create { library.createModel(config, $0) }
        }

        deinit {
            library.destroyModel(pointer)
        }
    }
#endif
