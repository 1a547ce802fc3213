// SPDX-License-Identifier: Apache-2.0

#if MLX
    import ParleyMLX
    public import ParleyLocal
    import ParleyModelFile

    extension EngineDescriptor {
        /// The engine MLX, which reads folders in the form of Hugging Face, also with weights in MLX's groups of few bits.
        public static let mlx = EngineDescriptor(
            name: "mlx", formats: [.huggingFace], source: MLXSource.self, library: MLXLibrary.self)
    }
#endif
