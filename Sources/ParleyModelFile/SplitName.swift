// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The name or path of one file of a split model, such as `model-00002-of-00003.gguf`.
package struct SplitName: Hashable, Sendable {
    /// The part of the name before the numbers.
    package let stem: String
    /// The number of this part, from 1.
    package let part: Int
    /// The number of parts, at least 2.
    package let count: Int
    /// The file extension with its dot.
    private let ending: String

    /// Parses a name; nil if it is not the name of a part of a split model.
    package init?(_ name: String) {
        guard ModelFormat.gguf.isFormat(ofFileNamed: name) else { return nil }
        let ending = name.suffix(ModelFormat.gguf.fileExtension.utf8.count + 1)
        let fields = name.dropLast(ending.count).split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count > 3, fields[fields.count - 2] == "of",
            let part = Self.number(fields[fields.count - 3]), let count = Self.number(fields[fields.count - 1]),
            count > 1, (1...count).contains(part)
        else { return nil }
        let stem = fields.dropLast(3).joined(separator: "-")
        guard !stem.isEmpty else { return nil }
        self.init(stem, part: part, count: count, ending: String(ending))
    }

    /// Creates the name of one part.
    package init(_ stem: String, part: Int, count: Int) {
        self.init(stem, part: part, count: count, ending: "." + ModelFormat.gguf.fileExtension)
    }

    private init(_ stem: String, part: Int, count: Int, ending: String) {
        (self.stem, self.part, self.count, self.ending) = (stem, part, count, ending)
    }

    /// Parses a number of exactly five digits.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.count == 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// The name as a string.
    package var name: String { name(of: part) }

    /// The names of all parts, in order.
    package var all: [String] { (1...count).map(name) }

    /// The files of the model that a file belongs to, whether they exist or not: all parts of a split model, which lie
    /// beside each other, or else the file alone.
    package static func files(of file: URL) -> [URL] {
        guard let split = SplitName(file.lastPathComponent) else { return [file] }
        let folder = file.deletingLastPathComponent()
        return split.all.map { folder.appending(path: $0, directoryHint: .notDirectory) }
    }

    private func name(of part: Int) -> String {
        "\(stem)-\(Self.padded(part))-of-\(Self.padded(count))\(ending)"
    }

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}
