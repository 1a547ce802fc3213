// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The instruction set that the kernels use.
package enum InstructionSet: String, Sendable, CaseIterable {
    /// Portable C, with which the other kernels are compared.
    case generic
    /// x86-64 with AVX2, FMA and F16C.
    case avx2
    /// x86-64 with AVX2 and AVX-VNNI, the dot products of 256 bits.
    case avxVNNI = "avx-vnni"
    /// x86-64 with AVX-512 F, BW, VL, DQ and VNNI.
    case avx512
    /// x86-64 with AVX-512 as above and AMX-TILE and AMX-INT8, whose products of bytes have tiles.
    case amx
    /// ARMv8 with the dot product extension.
    case neon
    /// ARMv8 with the dot product and 8-bit matrix extensions.
    case neonI8MM = "neon-i8mm"

    /// The fastest instruction set that this machine supports.
    package static var best: InstructionSet {
        InstructionSet(parley_kernels_best().pointee.isa) ?? .generic
    }

    /// Whether this machine supports the instruction set and this build contains its kernels.
    package var isAvailable: Bool { parley_kernels_for(isa) != nil }

    /// The table of kernel functions; the best available table if the machine lacks this instruction set.
    var kernels: UnsafePointer<parley_kernels> { parley_kernels_for(isa) ?? parley_kernels_best() }

    private var isa: parley_isa {
        switch self {
        case .generic: PARLEY_ISA_GENERIC
        case .avx2: PARLEY_ISA_AVX2
        case .avxVNNI: PARLEY_ISA_AVXVNNI
        case .avx512: PARLEY_ISA_AVX512
        case .amx: PARLEY_ISA_AMX
        case .neon: PARLEY_ISA_NEON
        case .neonI8MM: PARLEY_ISA_NEON_I8MM
        }
    }

    private init?(_ isa: parley_isa) {
        guard let match = Self.allCases.first(where: { $0.isa == isa }) else { return nil }
        self = match
    }
}
