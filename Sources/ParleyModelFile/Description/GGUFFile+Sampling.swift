// SPDX-License-Identifier: Apache-2.0

public import ParleySampling

extension GGUFFile {
    /// The sampling that the makers of the model recommend; all nil where the file says nothing. The values may be out
    /// of range.
    public var samplingDefaults: SamplingOptions {
        SamplingOptions(
            temperature: samplingNumber("temp"),
            topK: metadata["general.sampling.top_k"]?.integer,
            topP: samplingNumber("top_p"),
            minP: samplingNumber("min_p"),
            repetitionPenalty: samplingNumber("penalty_repeat"),
            penaltyWindow: metadata["general.sampling.penalty_last_n"]?.integer)
    }

    /// Infinities and the like are treated as missing.
    private func samplingNumber(_ name: String) -> Float? {
        metadata["general.sampling.\(name)"]?.float.flatMap { $0.isFinite ? $0 : nil }
    }
}
