// SPDX-License-Identifier: Apache-2.0

/// An amount of storage, as people write it.
public struct ByteSize: Sendable, Hashable, CustomStringConvertible {
    /// The bytes.
    public var bytes: Int64

    /// Creates an amount.
    public init(bytes: Int64) {
        self.bytes = bytes
    }

    /// Reads `500000`, `500MB`, `20 GB` or `1.5 GiB`; a bare letter (`20G`) means the decimal unit.
    public init?(_ text: String) {
        let text = text.lowercased().filter { $0 != " " }
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let factors: [String: Double] = [
            "": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1_024, "m": 1e6, "mb": 1e6, "mib": 1_048_576, "g": 1e9,
            "gb": 1e9, "gib": 1_073_741_824, "t": 1e12, "tb": 1e12, "tib": 1_099_511_627_776,
        ]
        guard let value = Double(number), let factor = factors[String(text.dropFirst(number.count))],
            let bytes = Int64(exactly: (value * factor).rounded())
        else { return nil }
        self.bytes = bytes
    }

    /// The amount in decimal units, such as `98 MB` or `2.1 GB`.
    public var description: String {
        if bytes >= 1_000_000_000 {
            let tenths = (bytes + 50_000_000) / 100_000_000
            return "\(tenths / 10).\(tenths % 10) GB"
        }
        if bytes >= 1_000_000 { return "\((bytes + 500_000) / 1_000_000) MB" }
        return bytes >= 1_000 ? "\((bytes + 500) / 1_000) kB" : "\(bytes) B"
    }
}
