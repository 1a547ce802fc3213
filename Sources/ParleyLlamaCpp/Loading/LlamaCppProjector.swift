// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import Foundation
    import ParleyRuntime

    /// A projector, which converts images to embeddings for a model.
    ///
    /// `@unchecked Sendable`: images are read on any thread, which libmtmd permits; they are run only on the model's
    /// thread.
    final class LlamaCppProjector: @unchecked Sendable {
        let pointer: OpaquePointer
        /// Keeps the weights alive, because the projector refers to them.
        private let weights: LlamaCppWeights

        /// Loads the projector of a model, on the model's thread.
        ///
        /// - Throws: `RuntimeError` with llama.cpp's messages.
        init(path: String, weights: LlamaCppWeights, threads: Int, usesGPU: Bool) throws {
            parley_llama_clear_log()
            guard
                let pointer = parley_llama_load_projector(
                    path, weights.pointer, Int32(clamping: threads), usesGPU)
            else {
                throw RuntimeError(
                    .unsupported, "llama.cpp cannot load the projector \(path)." + LlamaCppLibrary.report)
            }
            guard parley_llama_projector_sees(pointer) else {
                parley_llama_free_projector(pointer)
                throw RuntimeError(.unsupported, "\(path) is no projector for images.")
            }
            self.pointer = pointer
            self.weights = weights
        }

        deinit {
            parley_llama_free_projector(pointer)
        }

        /// Reads an image and divides it into the pieces that the model expects.
        ///
        /// - Throws: `RuntimeError` with code `invalidInput` if the bytes are not an image.
        func read(_ bytes: Data) throws -> LlamaCppImage {
            parley_llama_clear_log()
            let image = bytes.withUnsafeBytes { bytes in
                parley_llama_read_image(pointer, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            guard let image else {
                throw RuntimeError(
                    .invalidInput,
                    "The image cannot be read; it has to be a JPEG or PNG file." + LlamaCppLibrary.report)
            }
            return LlamaCppImage(image, projector: self)
        }
    }
#endif
