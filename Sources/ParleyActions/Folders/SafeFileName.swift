// SPDX-License-Identifier: Apache-2.0

import ParleyFiles

/// Makes names of files from what people write.
enum SafeFileName {
    /// The longest name in bytes, which leaves room for a number and a suffix.
    private static let longest = 150

    /// A name without a suffix that every system accepts, and that may be linked to in Markdown.
    ///
    /// - Parameters:
    ///   - title: Any text.
    ///   - otherwise: The name if nothing of the text can be used.
    /// - Returns: The name.
    static func name(for title: String, otherwise: String) -> String {
        var name = ""
        for character in title {
            let isSafe = FileName.fault(in: "x\(character)x") == nil && !"#^[]%".contains(character)
            let next = isSafe ? String(character) : " "
            if next == " ", name.isEmpty || name.hasSuffix(" ") { continue }
            guard name.utf8.count + next.utf8.count <= longest else { break }
            name += next
        }
        while let last = name.last, last == "." || last == " " { name.removeLast() }
        name = String(name.drop { $0 == "." || $0 == " " })
        if name.isEmpty { return otherwise }
        return FileName.fault(in: name) == nil ? name : otherwise + " " + name
    }
}
