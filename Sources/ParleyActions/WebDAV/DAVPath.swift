// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyHTTP

/// The path of a resource on a server as a list of names, so that two spellings with other percent escapes are equal.
package struct DAVPath: Hashable, Sendable {
    /// The names, without escapes.
    package let names: [String]

    /// The path of an address; nil if it has names that mean something else, such as `..`.
    package init?(_ url: URL) {
        // A user of `URL.path` would see `..` resolved and escapes gone.
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        self.init(encoded: path.isEmpty ? "/" : path)
    }

    /// The path that an answer of a server names; nil if it is on another server, or is none.
    ///
    /// - Parameters:
    ///   - href: a path from the root, or a whole address.
    ///   - server: an address on the server that answered.
    package init?(href: String, on server: URL) {
        let href = href.trimmingCharacters(in: .whitespacesAndNewlines)
        guard href.utf8.count <= 4_096 else { return nil }
        if href.hasPrefix("/"), !href.hasPrefix("//") {
            self.init(encoded: href)
        } else if let url = URL(string: href), url.scheme != nil, url.origin == server.origin, url.user() == nil {
            guard url.query() == nil, url.fragment() == nil else { return nil }
            self.init(url)
        } else {
            return nil
        }
    }

    /// A path that was written down as it is sent; nil if it is damaged.
    package init?(kept href: String) {
        guard let anywhere = URL(string: "http://localhost") else { return nil }
        self.init(href: href, on: anywhere)
    }

    private init?(encoded path: String) {
        guard path.hasPrefix("/"), !path.contains("?"), !path.contains("#") else { return nil }
        var names: [String] = []
        var parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if parts.last == "" { parts.removeLast() }
        for part in parts {
            guard let name = part.removingPercentEncoding, !["", ".", ".."].contains(name),
                name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { return nil }
            names.append(name)
        }
        self.names = names
    }

    private init(names: [String]) { self.names = names }

    /// The path of something in this collection.
    package func appending(_ name: String) -> DAVPath { DAVPath(names: names + [name]) }

    /// Whether another path is directly in this collection.
    package func isParent(of other: DAVPath) -> Bool {
        other.names.count == names.count + 1 && other.names.starts(with: names)
    }

    /// The path as it is sent, without a slash at its end.
    package var encoded: String {
        names.isEmpty ? "/" : names.map { "/" + Self.encoded($0) }.joined()
    }

    /// The path of a collection as it is sent, with a slash at its end.
    package var encodedFolder: String { names.isEmpty ? "/" : encoded + "/" }

    private static func encoded(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where "-._~@".utf8.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
