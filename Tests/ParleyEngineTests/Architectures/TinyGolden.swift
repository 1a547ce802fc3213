// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport
import ParleyTokenizer
import Testing

/// llama.cpp's logits for the tiny models, as recorded by `scripts/reference/record_goldens.py`.
struct TinyGoldens: Decodable {
    /// One model file.
    struct Model: Decodable, Sendable, CustomTestStringConvertible {
        let file: String
        /// The same weights in F32; nil where the file is in F32 itself.
        let exact: String?
        let positions: [Int]
        /// The exact model's logits at `positions`: base64 of 32-bit floats.
        let rows: [String]
        /// The mean of KL(exact ‖ llama.cpp) over all positions, for quantised files.
        let divergence: Double?
        /// The median, where a few rows with other experts make up most of the mean.
        let medianDivergence: Double?

        var testDescription: String { file }

        func row(_ index: Int) throws -> [Float] {
            let data = try #require(Data(base64Encoded: rows[index]))
            return stride(from: 0, to: data.count, by: 4).map { offset in
                Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(data[offset + $1]) << (8 * UInt32($1)) })
            }
        }
    }

    let columns: Int
    let ids: [TokenID]
    let models: [Model]

    static let recorded = try? References.golden("tiny-models", as: TinyGoldens.self)
    static let unquantized = recorded?.models.filter { $0.exact == nil } ?? []
    static let quantized = recorded?.models.filter { $0.exact != nil } ?? []
}
