// SPDX-License-Identifier: Apache-2.0

/// Recognises the quantisation in a file's name.
package enum QuantizationName {
    /// The quantisations in the order in which they are chosen by default: first four bits, which suits most uses, then
    /// larger ones, then smaller ones.
    static let preferred = [
        "Q4_K_M", "Q4_0", "Q4_1", "Q4_K_S", "Q5_K_M", "Q5_K_S", "Q5_0", "Q5_1", "Q6_K", "Q8_0", "IQ4_NL", "IQ4_XS",
        "MXFP4", "Q3_K_L", "Q3_K_M", "Q3_K_S", "Q2_K", "F16", "BF16", "F32",
    ]

    /// The quantisation in a file's name, in capitals; nil where the name contains none.
    ///
    /// It is the last part of the name that looks like a quantisation: `model-Q4_K_M.gguf`, `model.q8_0.gguf`,
    /// `model-UD-IQ2_XXS-00001-of-00002.gguf`.
    package static func of(_ fileName: String) -> String? {
        let base = fileName.split(separator: "/").last.map(String.init) ?? fileName
        // `-` and `.` separate parts; `_` may be part of a quantisation or precede it.
        let parts = base.uppercased().split { $0 == "-" || $0 == "." }
        for part in parts.reversed() {
            let words = part.split(separator: "_")
            // Finds the longest suffix of the part that is a quantisation.
            for start in words.indices where isQuantization(words[start...]) {
                return normalized(words[start...].joined(separator: "_"))
            }
        }
        return nil
    }

    private static func normalized(_ name: String) -> String {
        ["FP16": "F16", "FP32": "F32"][name] ?? name
    }

    private static func isQuantization(_ words: ArraySlice<Substring>) -> Bool {
        guard let first = words.first else { return false }
        if ["F16", "BF16", "F32", "FP16", "FP32", "MXFP4"].contains(first) { return words.count == 1 }
        let digits = first.drop { $0.isLetter }
        guard ["Q", "IQ", "TQ"].contains(first.prefix { $0.isLetter }), digits.count == 1,
            digits.first?.isNumber == true
        else { return false }
        return words.dropFirst().allSatisfy { ["0", "1", "K", "XXS", "XS", "S", "M", "L", "XL", "NL"].contains($0) }
    }
}
