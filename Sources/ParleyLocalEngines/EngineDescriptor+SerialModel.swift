// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyLocal
import ParleyModelFile
import ParleyRuntime

extension EngineDescriptor {
    /// Describes an engine over a library that runs one sequence at a time.
    ///
    /// - Parameters:
    ///   - name: its name in commands and messages.
    ///   - formats: what it reads.
    ///   - source: what its models are loaded from.
    ///   - library: the library that runs them; nil for a part of the system.
    init<Source: SerialSource>(
        name: String, formats: Set<ModelFormat>, source: Source.Type, library: (any EngineLibrary.Type)?
    ) {
        self.init(
            name: name, formats: formats, version: { library?.version }, problem: { library?.problem },
            refusal: { Source.refusal(of: $0) },
            load: { url, configuration, progress in
                let model = try await SerialModel<Source>.load(
                    url,
                    configuration: SerialConfiguration(
                        context: configuration.contextSize, threads: configuration.threads),
                    progress: progress)
                let plan = model.memoryPlan
                configuration.logger.info(
                    "\(name) has a model in memory.",
                    metadata: [
                        "weights": "\(plan.weights)", "cache": "\(plan.cache(context: model.context))",
                        "scratch": "\(plan.scratch)",
                    ])
                configuration.logger.record(
                    context: model.context, asked: configuration.contextSize, trained: model.info.trainedContext)
                return .tokens(model, contextSize: model.context)
            })
    }
}
