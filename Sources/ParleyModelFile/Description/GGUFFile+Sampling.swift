// SPDX-License-Identifier: Apache-2.0

public import ParleySampling

extension GGUFFile {
    /// The sampling options that the model's makers recommend; options that the file does not state are nil.
    ///
    /// The values may be out of range.
    public var samplingDefaults: SamplingOptions {
        SamplingOptions(
            temperature: samplingNumber("temp"),
            topK: metadata["general.sampling.top_k"]?.integer,
            topP: samplingNumber("top_p"),
            minP: samplingNumber("min_p"),
            repetitionPenalty: samplingNumber("penalty_repeat"),
            penaltyWindow: metadata["general.sampling.penalty_last_n"]?.integer)
    }

    /// Reads a number; infinities and NaN count as missing.
    private func samplingNumber(_ name: String) -> Float? {
        metadata["general.sampling.\(name)"]?.float.flatMap { $0.isFinite ? $0 : nil }
    }
}
