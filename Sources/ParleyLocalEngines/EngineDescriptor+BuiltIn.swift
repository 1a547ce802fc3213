// SPDX-License-Identifier: Apache-2.0

public import ParleyLocal
package import ParleyTensor

extension EngineDescriptor {
    /// The engines in this build, in the order of preference.
    public static var builtIn: [EngineDescriptor] { builtIn(instructionSet: .best) }

    /// The engines in this build, in the order of preference; the native engine uses the kernels of an instruction set.
    package static func builtIn(instructionSet: InstructionSet) -> [EngineDescriptor] {
        var engines = [native(instructionSet: instructionSet)]
        #if LlamaCpp
            engines.append(.llamaCpp)
        #endif
        #if MLX
            engines.append(.mlx)
        #endif
        #if ONNX
            engines.append(.onnx)
        #endif
        #if ExecuTorch
            engines.append(.execuTorch)
        #endif
        #if canImport(CoreML)
            engines.append(.coreML)
        #endif
        #if LiteRTLM
            engines.append(.liteRTLM)
        #endif
        return engines
    }
}
