// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import Foundation
    import ParleyLiteRTLM
    public import ParleyLocal
    import ParleyModelFile
    import ParleyModels
    import ParleyRuntime

    extension EngineDescriptor {
        /// The engine LiteRT-LM, which answers whole messages with files in its form.
        public static let liteRTLM = EngineDescriptor(
            name: "litert-lm", formats: [.liteRTLM], problem: { LiteRTLMLibrary.problem },
            load: { url, configuration, progress in
                let runner = try await LiteRTLMRunner.load(
                    url, context: configuration.contextSize, threads: configuration.threads)
                progress(1)
                return .runner(runner)
            })
    }
#endif
