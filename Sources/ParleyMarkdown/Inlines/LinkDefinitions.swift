// SPDX-License-Identifier: Apache-2.0

/// What the labels of links stand for.
struct LinkDefinitions {
    struct Target: Hashable {
        var destination: String
        var title: String?
        /// The bytes that each use of it adds to what is read.
        var size: Int { destination.utf8.count + (title?.utf8.count ?? 0) }
    }

    /// The most bytes that uses of definitions may add to a document beyond its own, so that a short text cannot become a
    /// huge one.
    private static let mostAdded = 100_000

    private var targets: [String: Target] = [:]
    private var added = 0
    /// The number of bytes of the document.
    var documentSize = 0

    var isEmpty: Bool { targets.isEmpty }

    /// The target of a label; nil for one that is not defined.
    mutating func target(of label: some Sequence<UInt8>) -> Target? {
        guard !targets.isEmpty, let key = LinkParts.key(label), let target = targets[key] else { return nil }
        guard added + target.size <= Swift.max(Self.mostAdded, documentSize) else { return nil }
        added += target.size
        return target
    }

    /// Reads a definition at the beginning of a paragraph. Of several with one label the first counts.
    ///
    /// - Returns: the index behind it; nil if there is none.
    mutating func read(_ bytes: [UInt8], at start: Int) -> Int? {
        guard let (content, afterLabel) = LinkParts.label(in: bytes, at: start),
            let key = LinkParts.key(bytes[content]), afterLabel < bytes.count, bytes[afterLabel] == UInt8(ascii: ":")
        else { return nil }
        let place = LinkParts.skipSpace(in: bytes, from: afterLabel + 1)
        guard let (destination, afterDestination) = LinkParts.destination(in: bytes, at: place),
            afterDestination > place
        else { return nil }
        var target = Target(destination: destination)
        var end = lineEnd(bytes, afterDestination)
        let titleStart = LinkParts.skipSpace(in: bytes, from: afterDestination)
        var unclosed: Set<UInt8> = []
        if titleStart > afterDestination,
            let (title, afterTitle) = LinkParts.title(in: bytes, at: titleStart, unclosed: &unclosed),
            let titleEnd = lineEnd(bytes, afterTitle)
        {
            (target.title, end) = (title, titleEnd)
        }
        guard let end else { return nil }
        if targets[key] == nil { targets[key] = target }
        return end
    }

    /// The index behind the end of a line, if nothing but spaces stands before it.
    private func lineEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        let index = bytes.end(from: start) { $0.isSpaceOrTab }
        if index == bytes.count { return index }
        return bytes[index] == 0x0A ? index + 1 : nil
    }
}
