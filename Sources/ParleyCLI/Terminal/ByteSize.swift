// SPDX-License-Identifier: Apache-2.0

/// Sizes in words.
enum ByteSize {
    /// A size in MB, or in GB with one decimal where it has more than four digits.
    static func text(_ bytes: Int) -> String {
        if bytes < 10_000_000_000 { return "\((bytes + 500_000) / 1_000_000) MB" }
        let tenths = (bytes + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) GB"
    }
}
