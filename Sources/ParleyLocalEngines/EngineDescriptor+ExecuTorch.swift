// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import ParleyExecuTorch
    public import ParleyLocal
    import ParleyModelFile

    extension EngineDescriptor {
        /// The engine ExecuTorch, which reads folders with a `model.pte`.
        public static let execuTorch = EngineDescriptor(
            name: "executorch", formats: [.execuTorch], source: ExecuTorchSource.self, library: ExecuTorchLibrary.self)
    }
#endif
