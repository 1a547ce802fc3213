// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import Logging
    public import ParleyLocal
    import ParleyModelFile
    import ParleyONNX
    import ParleyRuntime

    extension EngineDescriptor {
        /// The engine ONNX Runtime, which reads folders in the form of its library GenAI.
        public static let onnx = EngineDescriptor(
            name: "onnx", formats: [.onnx], version: { ONNXLibrary.version }, problem: { ONNXLibrary.problem },
            refusal: { ONNXModel.refusal(of: $0) },
            load: { url, configuration, progress in
                let model = try await ONNXModel.load(
                    url,
                    configuration: SerialConfiguration(
                        context: configuration.contextSize, threads: configuration.threads),
                    progress: progress)
                let plan = model.memoryPlan
                configuration.logger.info(
                    "ONNX Runtime has a model in memory.",
                    metadata: [
                        "weights": "\(plan.weights)", "cache": "\(plan.cache(context: model.context))",
                        "scratch": "\(plan.scratch)", "threads": "\(model.threads)",
                    ])
                return .tokens(model, contextSize: model.context)
            })
    }
#endif
