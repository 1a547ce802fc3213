// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyEngine
public import ParleyLocal
import ParleyModelFile
package import ParleyTensor

extension EngineDescriptor {
    /// Parley's own engine, which reads GGUF files, and folders in the form of Hugging Face.
    public static let native = native(instructionSet: .best)

    /// Parley's own engine with the kernels of an instruction set.
    package static func native(instructionSet: InstructionSet) -> EngineDescriptor {
        EngineDescriptor(
            name: "native", formats: [.gguf, .huggingFace], refusal: { NativeModel.refusal(of: $0) },
            embeddings: .native(instructionSet: instructionSet),
            load: { url, configuration, progress in
                var options = EngineConfiguration(
                    context: configuration.contextSize, threads: configuration.threads,
                    instructionSet: instructionSet, locksMemory: configuration.locksMemory)
                options.cacheMemory = configuration.cacheMemory
                options.cacheType = configuration.cacheType
                options.power = configuration.power
                let model = try await NativeModel.load(url, configuration: options, progress: progress)
                configuration.logger.record(model, asked: configuration.contextSize)
                return .tokens(model, contextSize: model.context)
            })
    }
}

extension EmbeddingSupport {
    /// The encoders of the native engine, with the kernels of an instruction set.
    fileprivate static func native(instructionSet: InstructionSet) -> EmbeddingSupport {
        EmbeddingSupport(
            refusal: { NativeEmbeddingModel.refusal(of: $0) },
            load: { url, configuration, progress in
                var options = EngineConfiguration(
                    context: configuration.contextSize, threads: configuration.threads,
                    instructionSet: instructionSet, locksMemory: configuration.locksMemory)
                options.power = configuration.power
                return try await NativeEmbeddingModel.load(url, configuration: options, progress: progress)
            })
    }
}

extension Logger {
    /// Logs the memory of a model, and whether its context was reduced for lack of memory.
    fileprivate func record(_ model: NativeModel, asked context: Int?) {
        let plan = model.memoryPlan
        info(
            "The native engine has a model in memory.",
            metadata: [
                "weights": "\(plan.weights)", "cache": "\(plan.cache(context: model.context))",
                "scratch": "\(plan.scratch(context: model.context))", "program": "\(plan.program)",
                "total": "\(plan.total(context: model.context))", "threads": "\(model.threads)",
            ])
        record(context: model.context, asked: context, trained: plan.trainedContext)
    }
}
