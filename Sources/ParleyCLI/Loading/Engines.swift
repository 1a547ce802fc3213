// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyLocal
import ParleyTensor

#if LlamaCpp
    import ParleyLlamaCpp
#endif

/// The engines that this build of `parley` has, as commands ask for them.
enum Engines {
    /// The engines in the order of preference.
    ///
    /// - Parameter instructionSet: the kernels of the native engine.
    static func all(instructionSet: InstructionSet = .best) -> [EngineDescriptor] {
        #if LlamaCpp
            [native(instructionSet), llamaCpp]
        #else
            [native(instructionSet)]
        #endif
    }

    /// Their names.
    static var names: [String] { all().map(\.name) }

    private static func native(_ instructionSet: InstructionSet) -> EngineDescriptor {
        EngineDescriptor(
            name: "native", formats: ["gguf"], refusal: { NativeModel.refusal(of: $0) },
            load: { url, configuration, progress in
                let model = try await NativeModel.load(
                    url,
                    configuration: EngineConfiguration(
                        context: configuration.contextSize, threads: configuration.threads,
                        instructionSet: instructionSet), progress: progress)
                return (model, model.context)
            })
    }

    #if LlamaCpp
        private static let llamaCpp = EngineDescriptor(
            name: "llama.cpp", formats: ["gguf"], capabilities: [.images, .graphicsProcessor],
            problem: { LlamaCppLibrary.problem },
            load: { url, configuration, progress in
                let model = try await LlamaCppModel.load(
                    url,
                    configuration: LlamaCppConfiguration(
                        context: configuration.contextSize, threads: configuration.threads,
                        sequences: configuration.timelines, projector: configuration.projector), progress: progress)
                return (model, model.context)
            })
    #endif
}
