// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import Foundation
    import Logging
    import ParleyExecuTorch
    public import ParleyLocal
    import ParleyModelFile
    import ParleyRuntime

    extension EngineDescriptor {
        /// The engine ExecuTorch, which reads folders with a `model.pte`.
        public static let execuTorch = EngineDescriptor(
            name: "executorch", formats: [.execuTorch], version: { ExecuTorchLibrary.version },
            problem: { ExecuTorchLibrary.problem },
            refusal: { ExecuTorchModel.refusal(of: $0) },
            load: { url, configuration, progress in
                let model = try await ExecuTorchModel.load(
                    url, configuration: SerialConfiguration(context: configuration.contextSize), progress: progress)
                let plan = model.memoryPlan
                configuration.logger.info(
                    "ExecuTorch has a model in memory.",
                    metadata: [
                        "weights": "\(plan.weights)", "cache": "\(plan.cache(context: model.context))",
                        "scratch": "\(plan.scratch)",
                    ])
                return .tokens(model, contextSize: model.context)
            })
    }
#endif
