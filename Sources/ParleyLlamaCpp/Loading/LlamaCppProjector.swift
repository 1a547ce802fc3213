// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import Foundation
    import ParleyRuntime

    /// The projector, which turns images into embeddings for a model.
    ///
    /// `@unchecked Sendable`: images are read on any thread, which libmtmd allows; they are run on the model's thread
    /// alone.
    final class LlamaCppProjector: @unchecked Sendable {
        let pointer: OpaquePointer
        /// Kept, as the projector refers to the weights.
        private let weights: LlamaCppWeights

        /// Loads a projector for a model, on the model's thread.
        ///
        /// - Throws: `RuntimeError` with llama.cpp's own words.
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

        /// Reads an image and cuts it into the model's pieces.
        ///
        /// - Throws: `RuntimeError` with code `invalidInput` where the bytes are no image.
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
