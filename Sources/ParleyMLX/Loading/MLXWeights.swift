// SPDX-License-Identifier: Apache-2.0

#if MLX
    import CParleyMLX
    import ParleyModelFile
    import ParleyRuntime

    /// A network in memory, owned by the thread that loads it.
    final class MLXWeights {
        let pointer: OpaquePointer
        let library: MLXLibrary

        /// Loads a network whose description has been checked.
        ///
        /// - Parameters:
        ///   - network: the description.
        ///   - library: the library.
        ///   - progress: receives the completed fraction, and returns whether to continue.
        /// - Throws: `RuntimeError` with the library's message.
        init(_ network: FolderNetwork, library: MLXLibrary, progress: @escaping (Double) -> Bool) throws(RuntimeError) {
            self.library = library
            let names = CStrings(network.files + network.tensors.flatMap { [$0.stored, $0.name] })
            let report = ProgressReport(progress)
            let made = names.withPointers { names in
                let tensors = network.tensors.enumerated().map { index, tensor in
                    parley_mlx_tensor(
                        stored: names[network.files.count + 2 * index],
                        name: names[network.files.count + 2 * index + 1], group_size: Int32(tensor.groupSize),
                        bits: Int32(tensor.bits), addend: tensor.addend)
                }
                return network.shape.withC { shape in
                    library.functions.pointee.load(
                        names, network.files.count, tensors, tensors.count, shape,
                        { fraction, report in
                            guard let report else { return true }
                            return Unmanaged<ProgressReport>.fromOpaque(report).takeUnretainedValue()
                                .body(Double(fraction))
                        }, Unmanaged.passUnretained(report).toOpaque())
                }
            }
            guard let made else { throw library.failure }
            pointer = made
        }

        deinit {
            library.functions.pointee.free_model(pointer)
        }
    }

    /// What is called while tensors are read.
    private final class ProgressReport {
        let body: (Double) -> Bool

        init(_ body: @escaping (Double) -> Bool) {
            self.body = body
        }
    }

    /// Texts as C has them.
    private struct CStrings {
        private var bytes: [CChar] = []
        private var starts: [Int] = []

        init(_ texts: [String]) {
            for text in texts {
                starts.append(bytes.count)
                bytes += text.utf8CString
            }
        }

        func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
            bytes.withUnsafeBufferPointer { bytes in
                body(starts.map { start in bytes.baseAddress.map { $0 + start } })
            }
        }
    }

    extension FolderShape {
        /// Calls `body` with the sizes as the library takes them.
        fileprivate func withC<Result>(_ body: (UnsafePointer<parley_mlx_shape>) -> Result) -> Result {
            rotation.periods.withUnsafeBufferPointer { periods in
                windowed.map { $0 ? 1 : 0 }.withUnsafeBufferPointer { (windowed: UnsafeBufferPointer<UInt8>) in
                    var shape = parley_mlx_shape()
                    shape.layers = Int32(layers)
                    shape.width = Int32(width)
                    shape.heads = Int32(heads)
                    shape.key_value_heads = Int32(keyValueHeads)
                    shape.head_width = Int32(headWidth)
                    shape.feed_forward = Int32(feedForward)
                    shape.vocabulary = Int32(vocabularySize)
                    shape.rotated = Int32(rotated)
                    shape.epsilon = epsilon
                    shape.query_scale = queryScale
                    shape.embedding_scale = embeddingScale
                    shape.is_gelu = isGELU
                    shape.rotation = parley_mlx_rotation(
                        base: rotation.base, scale: rotation.scale,
                        periods: periods.isEmpty ? nil : periods.baseAddress)
                    shape.window = Int32(window)
                    shape.window_rotation = parley_mlx_rotation(
                        base: windowRotation.base, scale: windowRotation.scale, periods: nil)
                    shape.windowed = windowed.isEmpty ? nil : windowed.baseAddress
                    return withUnsafePointer(to: shape, body)
                }
            }
        }
    }
#endif
