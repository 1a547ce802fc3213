// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The rotary embedding that `config.json` describes, under its older names (`rope_theta`, `rope_scaling`) or its newer
/// ones (`rope_parameters`).
struct FolderRotation {
    /// The base of the frequencies.
    let base: Double
    /// How contexts longer than the trained one are reached; `default` for not at all.
    let kind: String
    /// The parameters of the scaling.
    let scaling: FolderConfiguration?
    private let config: FolderConfiguration

    init(_ config: FolderConfiguration, base defaultBase: Double = 10_000) throws(ModelFileError) {
        self.config = config
        let parameters = config.part("rope_parameters")
        let scaling = parameters ?? config.part("rope_scaling")
        base = try config.number("rope_theta", or: parameters, default: defaultBase)
        let older = try scaling?.text(ifPresent: "type") ?? "default"
        kind = try scaling?.text(ifPresent: "rope_type") ?? older
        self.scaling = scaling
    }

    /// The metadata of the base and the scaling.
    ///
    /// - Parameter known: keys of YaRN that the family deals with itself.
    /// - Returns: the metadata.
    /// - Throws: ``ModelFileError`` for a scaling that is not read.
    func entries(understanding known: Set<String> = []) throws(ModelFileError) -> [GGUFEntry] {
        var entries = [GGUFEntry("rope.freq_base", .float32(Float(base)))]
        switch (kind, scaling) {
        case ("default", _), ("llama3", .some): break
        case ("linear", .some(let scaling)):
            entries.append(GGUFEntry("rope.scaling.type", .string("linear")))
            entries.append(GGUFEntry("rope.scaling.factor", .float32(Float(try scaling.number("factor")))))
        case ("yarn", .some(let scaling)):
            for key in ["attention_factor", "mscale", "mscale_all_dim"]
            where scaling[key] != nil && !known.contains(key) {
                throw config.unsupported("the rope scaling “yarn” has “\(key)”")
            }
            guard known.contains("truncate") ? true : try scaling.flag("truncate", default: true) else {
                throw config.unsupported("the rope scaling “yarn” has “truncate”")
            }
            entries.append(GGUFEntry("rope.scaling.type", .string("yarn")))
            entries.append(GGUFEntry("rope.scaling.factor", .float32(Float(try scaling.number("factor")))))
            let trained = try scaling.count(
                "original_max_position_embeddings", default: config.count("max_position_embeddings"))
            entries.append(GGUFEntry("rope.scaling.original_context_length", .uint32(UInt32(trained))))
            for key in ["beta_fast", "beta_slow"] {
                guard let number = try scaling.number(ifPresent: key) else { continue }
                entries.append(GGUFEntry("rope.scaling.yarn_\(key)", .float32(Float(number))))
            }
        default: throw config.unsupported("the rope scaling is \(String(reflecting: String(kind.prefix(40))))")
        }
        return entries
    }

    /// The divisors of the frequencies for Llama 3's scaling; nil for others.
    func llama3Factors(headWidth: Int) throws(ModelFileError) -> [Float]? {
        guard kind == "llama3", let scaling else { return nil }
        let factor = try scaling.number("factor")
        let low = try scaling.number("low_freq_factor")
        let high = try scaling.number("high_freq_factor")
        let trained = try scaling.number("original_max_position_embeddings")
        guard factor > 0, low > 0, high > low, trained > 0, base > 0, headWidth >= 2 else {
            throw config.invalid("rope_scaling", "has a number out of range")
        }
        return stride(from: 0, to: headWidth, by: 2).map { index in
            let wavelength = 2 * Double.pi * pow(base, Double(index) / Double(headWidth))
            if wavelength < trained / high { return 1 }
            if wavelength > trained / low { return Float(factor) }
            let smooth = (trained / wavelength - low) / (high - low)
            return Float(1 / ((1 - smooth) / factor + smooth))
        }
    }
}
