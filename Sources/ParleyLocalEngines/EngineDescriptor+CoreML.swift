// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreML)
    import ParleyCoreML
    public import ParleyLocal
    import ParleyModelFile

    extension EngineDescriptor {
        /// The engine Core ML of Apple's systems, which reads folders with a `model.mlmodelc`; never compiled or run by this
        /// project.
        public static let coreML = EngineDescriptor(
            name: "core-ml", formats: [.coreML], source: CoreMLSource.self, library: nil)
    }
#endif
