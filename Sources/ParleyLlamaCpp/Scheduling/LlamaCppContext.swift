// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyRuntime
    import ParleySystem

    /// A llama.cpp context: sequences that share a cache and a batch. The model's thread owns it.
    final class LlamaCppContext {
        /// The sizes of a context.
        struct Shape: Sendable, Hashable {
            /// The most tokens of a sequence.
            let length: Int
            let sequences: Int
            let threads: Int
            /// The memory that it takes.
            let plan: LlamaCppMemoryPlan
        }

        private let pointer: OpaquePointer
        /// Keeps the weights alive, because a context must not outlive them.
        private let weights: LlamaCppWeights
        private let shape: Shape
        private let scratch: LlamaCppScratch

        /// Creates a context, which reads `abort` while a batch runs; see ``RunningBatch``.
        ///
        /// - Throws: `RuntimeError` with llama.cpp's messages; with code `unsupported` for an encoder.
        init(_ weights: LlamaCppWeights, _ shape: Shape, abort: UnsafePointer<UInt8>) throws {
            parley_llama_clear_log()
            // llama.cpp would round the total length of all sequences up to whole blocks, not the length of each.
            let length = LlamaCppMemoryPlan.length(of: shape.length)
            guard
                let pointer = parley_llama_make_context(
                    weights.pointer, UInt32(length), UInt32(shape.sequences), Int32(clamping: shape.threads),
                    UInt32(shape.plan.rows), abort)
            else {
                throw RuntimeError(
                    .insufficientMemory,
                    "llama.cpp cannot make a cache for \(shape.sequences) sequences of \(shape.length) tokens."
                        + LlamaCppLibrary.report)
            }
            guard parley_llama_remembers(pointer) else {
                parley_llama_free_context(pointer)
                throw RuntimeError(
                    .unsupported,
                    "The model is an encoder, which turns texts into vectors; it writes no text token by token.")
            }
            self.pointer = pointer
            self.weights = weights
            self.shape = shape
            scratch = LlamaCppScratch(shape.plan, in: .process)
        }

        deinit {
            parley_llama_free_context(pointer)
        }

        /// Removes the positions of a sequence from `position` on.
        ///
        /// - Returns: false if that is not possible; the contents of the sequence are then undefined.
        func cut(_ sequence: Int, from position: Int) -> Bool {
            parley_llama_cut(pointer, Int32(sequence), Int32(position))
        }

        /// Runs a batch and writes the requested logits.
        ///
        /// - Returns: false if the batch was aborted.
        /// - Throws: `RuntimeError` with llama.cpp's messages.
        func run(_ batch: StepBatch<LlamaCppSequence>) throws -> Bool {
            parley_llama_clear_log()
            scratch.reached(tokens: batch.rowCount)
            let columns = RowColumns(batch)
            let outcome = parley_llama_run(
                pointer, Int32(batch.rowCount), columns.tokens, columns.positions, columns.sequences, columns.wanted)
            guard try isDone(outcome) else { return false }
            for output in batch.outputs {
                guard let logits = parley_llama_logits(pointer, Int32(output.row)),
                    let destination = output.logits[output.outputRow].baseAddress
                else { throw RuntimeError(.engineFailed, "llama.cpp gave no logits." + LlamaCppLibrary.report) }
                destination.update(from: logits, count: weights.vocabularySize)
            }
            return true
        }

        /// Runs a piece of an image.
        ///
        /// - Returns: false if the batch was aborted.
        /// - Throws: `RuntimeError` with llama.cpp's messages.
        func run(_ piece: ImagePiece, at position: Int, of sequence: Int) throws -> Bool {
            parley_llama_clear_log()
            scratch.reached(imageRows: piece.rows)
            return try isDone(
                parley_llama_run_part(
                    piece.image.projector.pointer, pointer, piece.image.pointer, piece.part, Int32(position),
                    Int32(sequence), Int32(shape.plan.rows)))
        }

        private func isDone(_ outcome: parley_llama_outcome) throws -> Bool {
            switch outcome {
            case PARLEY_LLAMA_DONE: return true
            case PARLEY_LLAMA_ABORTED: return false
            default:
                let what = outcome == PARLEY_LLAMA_FULL ? "found no room in its cache" : "failed"
                throw RuntimeError(.engineFailed, "llama.cpp \(what) while it ran a batch." + LlamaCppLibrary.report)
            }
        }
    }
#endif
