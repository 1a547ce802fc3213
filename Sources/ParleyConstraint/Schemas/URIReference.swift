// SPDX-License-Identifier: Apache-2.0

/// A URI or a reference relative to one, in its five parts (RFC 3986).
struct URIReference: Hashable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    init(_ text: String) {
        var rest = Substring(text)
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        if let colon = rest.firstIndex(of: ":"), rest[..<colon].first?.isLetter == true,
            rest[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        {
            scheme = rest[..<colon].lowercased()
            rest = rest[colon...].dropFirst()
        }
        if rest.hasPrefix("//") {
            let inner = rest.dropFirst(2)
            let end = inner.firstIndex(of: "/") ?? inner.endIndex
            authority = String(inner[..<end])
            rest = inner[end...]
        }
        path = String(rest)
    }

    /// The reference as it stands in a document of that URI (section 5.2).
    func resolved(against base: URIReference) -> URIReference {
        var result = self
        guard scheme == nil else { return result.normalized }
        result.scheme = base.scheme
        guard authority == nil else { return result.normalized }
        result.authority = base.authority
        if path.isEmpty {
            result.path = base.path
            result.query = query ?? base.query
            return result
        }
        if !path.hasPrefix("/") {
            let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? (base.authority == nil ? "" : "/")
            result.path = folder + path
        }
        return result.normalized
    }

    /// Without the fragment: what names a whole document.
    var document: URIReference {
        var result = self
        result.fragment = nil
        return result
    }

    private var normalized: URIReference {
        guard path.hasPrefix("/") else { return self }
        var segments: [Substring] = []
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { segments.append("") }
            case "..":
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        var result = self
        result.path = "/" + segments.joined(separator: "/")
        return result
    }

    private static func cut(_ text: inout Substring, at mark: Character) -> String? {
        guard let index = text.unicodeScalars.firstIndex(where: { Character($0) == mark }) else { return nil }
        let tail = String(text.unicodeScalars[index...].dropFirst())
        text = Substring(text.unicodeScalars[..<index])
        return tail
    }
}
