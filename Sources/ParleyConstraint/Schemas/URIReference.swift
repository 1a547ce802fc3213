// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A URI or a reference relative to one, in its five parts (RFC 3986).
///
/// It is read byte by byte, so that a delimiter followed by a combining mark is still a delimiter.
struct URIReference: Hashable {
    var scheme: ExactText?
    var authority: ExactText?
    var path: ExactText
    var query: ExactText?
    var fragment: ExactText?

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), rest.first.map(Self.isLetter) == true,
            rest[..<colon].allSatisfy(Self.continuesScheme)
        {
            scheme = Self.text(rest[..<colon].map { Self.isLetter($0) ? $0 | 0x20 : $0 })
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            let inner = rest.dropFirst(2)
            let end = inner.firstIndex(of: UInt8(ascii: "/")) ?? inner.endIndex
            authority = Self.text(inner[..<end])
            rest = inner[end...]
        }
        path = Self.text(rest)
    }

    /// The reference as it stands in a document of that URI (section 5.2).
    func resolved(against base: URIReference) -> URIReference {
        var result = self
        guard scheme == nil else { return result.normalized }
        result.scheme = base.scheme
        guard authority == nil else { return result.normalized }
        result.authority = base.authority
        if path.string.isEmpty {
            result.path = base.path
            result.query = query ?? base.query
            return result
        }
        if path.string.utf8.first != Self.slash {
            let bytes = Array(base.path.string.utf8)
            let root = base.authority == nil ? [] : [Self.slash]
            let folder = bytes.lastIndex(of: Self.slash).map { Array(bytes[...$0]) } ?? root
            result.path = Self.text(folder + path.string.utf8)
        }
        return result.normalized
    }

    /// The number of bytes of its parts.
    var length: Int {
        [scheme, authority, path, query, fragment].reduce(0) { $0 + ($1?.string.utf8.count ?? 0) }
    }

    /// The URI without its fragment, which names a whole document.
    var document: URIReference {
        var result = self
        result.fragment = nil
        return result
    }

    private var normalized: URIReference {
        guard path.string.utf8.first == Self.slash else { return self }
        var segments: [ArraySlice<UInt8>] = []
        let parts = Array(path.string.utf8).dropFirst().split(separator: Self.slash, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part.elementsEqual(".".utf8) {
                if isLast { segments.append([]) }
            } else if part.elementsEqual("..".utf8) {
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append([]) }
            } else {
                segments.append(part)
            }
        }
        var result = self
        result.path = Self.text([Self.slash] + segments.joined(separator: [Self.slash]))
        return result
    }

    private static let slash = UInt8(ascii: "/")

    private static func text(_ bytes: some Collection<UInt8>) -> ExactText {
        ExactText(String(decoding: bytes, as: UTF8.self))
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func continuesScheme(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
    }

    private static func cut(_ text: inout ArraySlice<UInt8>, at mark: Unicode.Scalar) -> ExactText? {
        guard let index = text.firstIndex(of: UInt8(ascii: mark)) else { return nil }
        let tail = Self.text(text[(index + 1)...])
        text = text[..<index]
        return tail
    }
}
