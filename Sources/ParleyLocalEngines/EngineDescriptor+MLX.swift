// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import Logging
    public import ParleyLocal
    import ParleyMLX
    import ParleyModelFile
    import ParleyRuntime

    extension EngineDescriptor {
        /// The engine MLX, which reads folders in the form of Hugging Face, also with weights in MLX's groups of few bits.
        public static let mlx = EngineDescriptor(
            name: "mlx", formats: [.huggingFace], version: { MLXLibrary.version }, problem: { MLXLibrary.problem },
            refusal: { MLXModel.refusal(of: $0) },
            load: { url, configuration, progress in
                let model = try await MLXModel.load(
                    url, configuration: SerialConfiguration(context: configuration.contextSize), progress: progress)
                let plan = model.memoryPlan
                configuration.logger.info(
                    "MLX has a model in memory.",
                    metadata: [
                        "weights": "\(plan.weights)", "cache": "\(plan.cache(context: model.context))",
                        "scratch": "\(plan.scratch)",
                    ])
                return .tokens(model, contextSize: model.context)
            })
    }
#endif
