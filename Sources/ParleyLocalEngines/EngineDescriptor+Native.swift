// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
public import ParleyLocal
import ParleyModelFile
package import ParleyTensor

extension EngineDescriptor {
    /// Parley's own engine, which reads GGUF files.
    public static let native = native(instructionSet: .best)

    /// Parley's own engine with certain kernels.
    package static func native(instructionSet: InstructionSet) -> EngineDescriptor {
        EngineDescriptor(
            name: "native", formats: [.gguf], refusal: { NativeModel.refusal(of: $0) },
            load: { url, configuration, progress in
                let model = try await NativeModel.load(
                    url,
                    configuration: EngineConfiguration(
                        context: configuration.contextSize, threads: configuration.threads,
                        instructionSet: instructionSet, locksMemory: configuration.locksMemory),
                    progress: progress)
                return .tokens(model, contextSize: model.context)
            })
    }
}
