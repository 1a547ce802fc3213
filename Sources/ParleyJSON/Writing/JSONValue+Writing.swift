// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// This value as JSON.
    ///
    /// Numbers are written with the fewest digits that read back as the same double, and always with a fraction or an
    /// exponent (`1.0`, `1e+16`), so that they stay distinct from integers. Infinity and NaN, which JSON does not have,
    /// are written as `null`.
    public func text(_ format: JSONFormat = .compact) -> String {
        var writer = JSONWriter(format: format)
        writer.write(self)
        return writer.output
    }
}

extension JSONValue: CustomStringConvertible {
    /// This value as compact JSON.
    public var description: String { text() }
}
