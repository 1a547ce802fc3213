// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import Logging
    import ParleyLlamaCpp
    public import ParleyLocal
    import ParleyModelFile
    import ParleyModels
    import ParleyRuntime

    extension EngineDescriptor {
        /// The engine llama.cpp, which reads GGUF files of more architectures than the native engine and supports
        /// images.
        public static let llamaCpp = EngineDescriptor(
            name: "llama.cpp", formats: [.gguf], capabilities: [.text, .vision],
            version: { LlamaCppLibrary.version }, problem: { LlamaCppLibrary.problem },
            load: { url, configuration, progress in
                let model = try await LlamaCppModel.load(
                    url,
                    configuration: LlamaCppConfiguration(
                        context: configuration.contextSize, threads: configuration.threads,
                        sequences: min(max(configuration.timelines, 1), 8), projector: configuration.projector,
                        locksMemory: configuration.locksMemory),
                    progress: progress)
                configuration.logger.record(model, asked: configuration)
                return .tokens(model, contextSize: model.context)
            })
    }

    extension Logger {
        /// Logs the memory of a model, and whether its context or the number of its sequences was reduced for lack of
        /// memory.
        fileprivate func record(_ model: LlamaCppModel, asked configuration: LocalConfiguration) {
            let (plan, context, sequences) = (model.memoryPlan, model.context, model.sequences)
            info(
                "llama.cpp has a model in memory.",
                metadata: [
                    "weights": "\(plan.weights)", "projector": "\(plan.projector)",
                    "cache": "\(plan.cache(context: context, sequences: sequences))",
                    "scratch": "\(plan.scratch)", "total": "\(plan.total(context: context, sequences: sequences))",
                    "sequences": "\(sequences)", "threads": "\(model.threads)",
                ])
            record(context: context, asked: configuration.contextSize, trained: plan.trainedContext)
        }
    }
#endif
