// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import ParleyModelFile
package import ParleyTensor

extension ModelLoader {
    /// Reads the rotary embedding that the metadata describes, including its scaling for long contexts.
    ///
    /// - Parameter pairing: which two values of a head are rotated together.
    /// - Returns: the rotary embedding.
    /// - Throws: ``NetworkError`` if the scaling is not supported; errors from reading the metadata.
    package func rotation(pairing: RotaryEmbedding.Pairing) throws -> RotaryEmbedding {
        let hyper = hyperparameters
        let metadata = hyper.metadata
        let base = Double(try metadata.float(ifPresent: hyper.key("rope.freq_base")) ?? 10_000)
        let factor = Double(
            try metadata.float(ifPresent: hyper.key("rope.scaling.factor"))
                ?? metadata.float(ifPresent: hyper.key("rope.scale_linear")) ?? 0)
        let magnitude = Double(try metadata.float(ifPresent: hyper.key("rope.scaling.attn_factor")) ?? 1)
        let scaling = try metadata.string(ifPresent: hyper.key("rope.scaling.type")) ?? "linear"
        let trained = try metadata.unsigned(ifPresent: hyper.key("rope.scaling.original_context_length"))
        let scale = factor == 0 || scaling == "none" ? 1 : 1 / factor
        guard ["none", "linear", "yarn", "longrope"].contains(scaling) else {
            throw NetworkError(.unsupported, "\(file.name): rope scaling “\(scaling)” is not supported.")
        }
        let plain = RotaryEmbedding(
            width: hyper.rotaryWidth, base: base, scale: scale,
            factors: try rotationFactors(trained ?? hyper.trainedContext),
            pairing: pairing, magnitude: magnitude)
        guard scaling == "yarn", scale != 1 else { return try checked(plain) }
        return try checked(yarn(plain, base: base, scale: scale, trainedContext: trained ?? hyper.trainedContext))
    }

    /// Reads the rotary embedding of layers that attend to a sliding window, which is not scaled.
    ///
    /// - Parameters:
    ///   - pairing: which two values of a head are rotated together.
    ///   - base: the base where the file has none for these layers; nil for that of the other layers.
    /// - Returns: the rotary embedding.
    /// - Throws: ``NetworkError`` if the metadata makes no sense; errors from reading it.
    package func localRotation(pairing: RotaryEmbedding.Pairing, base: Float?) throws -> RotaryEmbedding {
        let hyper = hyperparameters
        let base =
            try hyper.metadata.float(ifPresent: hyper.key("rope.freq_base_swa")) ?? base
            ?? hyper.metadata.float(ifPresent: hyper.key("rope.freq_base")) ?? 10_000
        return try checked(
            RotaryEmbedding(width: hyper.attention.localRotaryWidth, base: Double(base), pairing: pairing))
    }

    /// Returns the rotation if its frequencies and magnitude are valid; nonsensical bases, scales or factors make them
    /// invalid.
    private func checked(_ rotation: RotaryEmbedding) throws -> RotaryEmbedding {
        guard rotation.frequencies.allSatisfy((0..<Double.infinity).contains), rotation.magnitude.isFinite else {
            throw NetworkError(
                .invalidFile,
                "\(file.name): the metadata under \(hyperparameters.key("rope")) gives no rotation of finite speed. "
                    + "The file is damaged; download it again.")
        }
        return rotation
    }

    /// The divisors of the frequencies, one for each pair; nil if the file has none.
    private func rotationFactors(_ trainedContext: Int) throws -> [Double]? {
        let pairs = hyperparameters.rotaryWidth / 2
        let long = context > trainedContext ? "rope_factors_long.weight" : "rope_factors_short.weight"
        for name in ["rope_freqs.weight", long] {
            guard let factors = try vector(ifPresent: name, count: pairs) else { continue }
            guard readsTensors else { return nil }
            return (0..<pairs).map { Double(factors.floats[$0]) }
        }
        return nil
    }

    /// Blends interpolated and original frequencies as in YaRN ([Peng et al., 2023](https://arxiv.org/abs/2309.00071)).
    ///
    /// The file may say how often pairs turn within the trained context that are not interpolated (`yarn_beta_fast`), or
    /// only interpolated (`yarn_beta_slow`), and by what the growth of the magnitude is divided (`yarn_log_multiplier`).
    private func yarn(
        _ interpolated: RotaryEmbedding, base: Double, scale: Double, trainedContext: Int
    ) throws -> RotaryEmbedding {
        func number(_ name: String) throws -> Double? {
            try hyperparameters.metadata.float(ifPresent: hyperparameters.key("rope.scaling.yarn_" + name))
                .map(Double.init)
        }
        func magnitude(_ multiplier: Double) -> Double { scale < 1 ? 1 + 0.1 * multiplier * log(1 / scale) : 1 }
        let width = Double(interpolated.width)
        func pair(turning rotations: Double) -> Double {
            width * log(Double(trainedContext) / (rotations * 2 * .pi)) / (2 * log(base))
        }
        let low = max(0, pair(turning: try number("beta_fast") ?? 32).rounded(.down))
        let high = min(width - 1, pair(turning: try number("beta_slow") ?? 1).rounded(.up))
        let frequencies = interpolated.frequencies.enumerated().map { index, frequency in
            let ramp = 1 - min(1, max(0, (Double(index) - low) / max(0.001, high - low)))
            return frequency * (1 - ramp) + frequency / scale * ramp
        }
        return RotaryEmbedding(
            frequencies: frequencies, pairing: interpolated.pairing,
            magnitude: interpolated.magnitude * magnitude(1) / magnitude(try number("log_multiplier") ?? 0))
    }
}
