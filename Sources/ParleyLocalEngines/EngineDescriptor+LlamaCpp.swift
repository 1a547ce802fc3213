// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyLlamaCpp
    public import ParleyLocal
    import ParleyModelFile
    import ParleyModels

    extension EngineDescriptor {
        /// The engine llama.cpp, which reads GGUF files of more architectures than the native engine and supports
        /// images.
        public static let llamaCpp = EngineDescriptor(
            name: "llama.cpp", formats: [.gguf], capabilities: [.text, .vision],
            problem: { LlamaCppLibrary.problem },
            load: { url, configuration, progress in
                let model = try await LlamaCppModel.load(
                    url,
                    configuration: LlamaCppConfiguration(
                        context: configuration.contextSize, threads: configuration.threads,
                        sequences: min(max(configuration.timelines, 1), 8), projector: configuration.projector,
                        locksMemory: configuration.locksMemory),
                    progress: progress)
                return .tokens(model, contextSize: model.context)
            })
    }
#endif
