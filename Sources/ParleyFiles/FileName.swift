// SPDX-License-Identifier: Apache-2.0

/// Checks file names from untrusted sources, which must be a single path component on every file system.
package enum FileName {
    private static let longest = 200
    /// Names that are reserved for devices on Windows, with any extension.
    private static let devices: Set<String> = {
        var names: Set<String> = ["con", "prn", "aux", "nul"]
        for number in 0...9 { names.formUnion(["com\(number)", "lpt\(number)"]) }
        return names
    }()

    /// A key that is equal for names that some file system treats as the same: those that differ only in case, or in
    /// how characters are composed (which Swift's `==` ignores as well).
    package static func key(_ name: String) -> String {
        name.uppercased().lowercased()
    }

    /// Why a name cannot be used; nil for a valid one.
    package static func fault(in name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.utf8.count > longest { return "it is longer than \(longest) bytes" }
        if name.hasPrefix(".") { return "it begins with a dot" }
        if name.hasSuffix(".") || name.hasSuffix(" ") { return "it ends in a dot or a space" }
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                return "it contains a control character"
            default: break
            }
            if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return "it contains the character \(scalar)" }
        }
        if devices.contains(String(key(name).prefix { $0 != "." })) { return "it is reserved on some systems" }
        return nil
    }
}
