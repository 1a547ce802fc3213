// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

/// The instruction sets of the kernels; `available` are those of this machine.
enum OpsInstructionSet: String, CaseIterable, Sendable {
    case generic, avx2, avxVNNI, avx512, amx, neon, neonI8MM

    static var available: [OpsInstructionSet] { allCases.filter { $0.address != nil } }

    func kernels() throws -> parley_kernels { try #require(address).pointee }

    private var address: UnsafePointer<parley_kernels>? {
        switch self {
        case .generic: parley_kernels_for(PARLEY_ISA_GENERIC)
        case .avx2: parley_kernels_for(PARLEY_ISA_AVX2)
        case .avxVNNI: parley_kernels_for(PARLEY_ISA_AVXVNNI)
        case .avx512: parley_kernels_for(PARLEY_ISA_AVX512)
        case .amx: parley_kernels_for(PARLEY_ISA_AMX)
        case .neon: parley_kernels_for(PARLEY_ISA_NEON)
        case .neonI8MM: parley_kernels_for(PARLEY_ISA_NEON_I8MM)
        }
    }
}

extension SplitMix64 {
    mutating func floats(_ count: Int, in range: ClosedRange<Float> = -2...2) -> [Float] {
        (0..<count).map { _ in Float.random(in: range, using: &self) }
    }

    mutating func int(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

extension [Float] {
    /// The bit patterns, for comparing all bits.
    var bits: [UInt32] { map(\.bitPattern) }
}

/// A value that no kernel computes, placed beyond the end of the output.
let opsCanary: Float = -12345.678

/// The largest difference from `expected`, relative to it where it is above 1.
func opsError(_ actual: some Sequence<Float>, _ expected: some Sequence<Double>) -> Double {
    zip(actual, expected).reduce(0) { worst, pair in
        let error = abs(Double(pair.0) - pair.1) / max(1, abs(pair.1))
        return error.isNaN ? .infinity : max(worst, error)
    }
}
