// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyRuntime

    /// The weights of a model, owned by the thread that loads them.
    final class LlamaCppWeights {
        let pointer: OpaquePointer
        let vocabularySize: Int
        let trainedContext: Int
        let parameterCount: Int
        /// Whether tokens can be removed from any position of a sequence on.
        let cutsExactly: Bool

        /// Loads a file that Parley's reader has checked.
        ///
        /// - Parameters:
        ///   - path: the path of the file.
        ///   - gpuLayers: the number of layers to run on a graphics processor; nil for llama.cpp's default.
        ///   - isLocked: whether the weights are locked in memory.
        ///   - progress: receives the completed fraction, and returns whether to continue.
        /// - Throws: `RuntimeError` with llama.cpp's messages.
        init(path: String, gpuLayers: Int?, isLocked: Bool, progress: @escaping (Double) -> Bool) throws {
            parley_llama_clear_log()
            let pointer = withoutActuallyEscaping(progress) { progress in
                let box = ProgressBox(progress)
                return parley_llama_load(
                    path, gpuLayers.map { Int32(clamping: $0) } ?? -1, isLocked,
                    { fraction, user in
                        guard let user else { return true }
                        return Unmanaged<ProgressBox>.fromOpaque(user).takeUnretainedValue().body(Double(fraction))
                    }, Unmanaged.passUnretained(box).toOpaque())
            }
            guard let pointer else {
                throw RuntimeError(.unsupported, "llama.cpp cannot load \(path)." + LlamaCppLibrary.report)
            }
            guard parley_llama_is_generative(pointer) else {
                parley_llama_free_model(pointer)
                throw RuntimeError(.unsupported, "\(path) is no model that writes text token by token.")
            }
            self.pointer = pointer
            vocabularySize = Int(parley_llama_vocabulary_size(pointer))
            trainedContext = Int(parley_llama_trained_context(pointer))
            parameterCount = Int(clamping: parley_llama_parameter_count(pointer))
            cutsExactly = !parley_llama_is_recurrent(pointer)
        }

        deinit {
            parley_llama_free_model(pointer)
        }

        private final class ProgressBox {
            let body: (Double) -> Bool

            init(_ body: @escaping (Double) -> Bool) {
                self.body = body
            }
        }
    }
#endif
