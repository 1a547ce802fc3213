// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ParleyLocal

#if LlamaCpp
    import ParleyLlamaCpp
#endif

extension EngineDescriptor {
    /// The engines that this build has, in the order of preference.
    public static var builtIn: [EngineDescriptor] {
        #if LlamaCpp
            [.native, .llamaCpp]
        #else
            [.native]
        #endif
    }

    #if LlamaCpp
        /// llama.cpp, which reads GGUF files of more architectures.
        public static let llamaCpp = EngineDescriptor(
            name: "llama.cpp", formats: ["gguf"], capabilities: [.images, .graphicsProcessor],
            problem: { LlamaCppLibrary.problem },
            load: { url, configuration, progress in
                let model = try await LlamaCppModel.load(
                    url,
                    configuration: LlamaCppConfiguration(
                        context: configuration.contextSize, threads: configuration.threads,
                        sequences: min(max(configuration.timelines, 1), 8), projector: configuration.projector),
                    progress: progress)
                return (model, model.context)
            })
    #endif
}
