// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The storage formats of tensors, with their numbers in the GGUF format.
///
/// Quantised types store values in blocks: `blockSize` consecutive values of a row share scales and take `blockBytes`
/// bytes. See <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.
package enum TensorType: UInt32, Sendable, Hashable, CaseIterable {
    case f32 = 0
    case f16 = 1
    case q4_0 = 2
    case q4_1 = 3
    case q5_0 = 6
    case q5_1 = 7
    case q8_0 = 8
    case q2_K = 10
    case q3_K = 11
    case q4_K = 12
    case q5_K = 13
    case q6_K = 14
    case iq2_XXS = 16
    case iq2_XS = 17
    case iq3_XXS = 18
    case iq1_S = 19
    case iq4_NL = 20
    case iq3_S = 21
    case iq2_S = 22
    case iq4_XS = 23
    case iq1_M = 29
    case bf16 = 30
    case tq1_0 = 34
    case tq2_0 = 35
    case mxfp4 = 39

    /// The number of consecutive values in a block; 1 for types that are not quantised.
    package var blockSize: Int {
        switch self {
        case .f32, .f16, .bf16: 1
        case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .iq4_NL, .mxfp4: 32
        case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K, .iq4_XS, .iq2_XXS, .iq2_XS, .iq3_XXS, .iq1_S, .iq3_S, .iq2_S, .iq1_M,
            .tq1_0, .tq2_0:
            256
        }
    }

    /// The size of a block in bytes.
    package var blockBytes: Int {
        switch self {
        case .f32: 4
        case .f16, .bf16: 2
        case .q4_0, .iq4_NL: 18
        case .q4_1: 20
        case .q5_0: 22
        case .q5_1: 24
        case .q8_0: 34
        case .q2_K: 84
        case .q3_K: 110
        case .q4_K: 144
        case .q5_K: 176
        case .q6_K: 210
        case .iq4_XS: 136
        case .mxfp4: 17
        case .iq2_XXS, .tq2_0: 66
        case .iq2_XS: 74
        case .iq2_S: 82
        case .iq3_XXS: 98
        case .iq3_S: 110
        case .iq1_S: 50
        case .iq1_M: 56
        case .tq1_0: 54
        }
    }

    /// The size of a number of values in bytes, which must be a multiple of ``blockSize``.
    package func byteCount(of count: Int) -> Int { (ByteSize(clamping: count / blockSize) * blockBytes).count }

    /// The type's usual name, such as `Q4_K`.
    package var name: String {
        switch self {
        case .iq4_NL: "IQ4_NL"
        case .iq4_XS: "IQ4_XS"
        default: "\(self)".uppercased()
        }
    }
}
