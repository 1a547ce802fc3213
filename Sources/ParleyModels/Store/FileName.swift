// SPDX-License-Identifier: Apache-2.0

/// The name of a file that came from outside: it must stay one name in one directory.
package enum FileName {
    private static let longest = 200
    /// Names that mean devices on some systems, with any ending.
    private static let devices: Set<String> = {
        var names: Set<String> = ["con", "prn", "aux", "nul"]
        for number in 0...9 { names.formUnion(["com\(number)", "lpt\(number)"]) }
        return names
    }()

    /// What is the same for names that some file system takes for the same: those that differ in case, or in how their
    /// characters are composed, which Swift's comparison passes over.
    package static func key(_ name: String) -> String {
        name.uppercased().lowercased()
    }

    /// Why a name cannot be used; nil for a good one.
    package static func fault(in name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.utf8.count > longest { return "it is longer than \(longest) bytes" }
        if name.hasPrefix(".") { return "it begins with a dot" }
        if name.hasSuffix(".") || name.hasSuffix(" ") { return "it ends in a dot or a space" }
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                return "it holds a control character"
            default: break
            }
            if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return "it holds the character \(scalar)" }
        }
        let lowercase = name.lowercased()
        if lowercase == StoreLayout.manifestName { return "it is the store's own" }
        if devices.contains(String(lowercase.prefix { $0 != "." })) { return "it is reserved on some systems" }
        return nil
    }
}
