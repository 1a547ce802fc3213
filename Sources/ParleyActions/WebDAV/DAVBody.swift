// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The XML bodies of requests.
enum DAVBody {
    private static let spaces = [
        ("DAV:", "d"), ("urn:ietf:params:xml:ns:caldav", "c"), ("urn:ietf:params:xml:ns:carddav", "a"),
        ("http://apple.com/ns/ical/", "i"),
    ]

    /// Asks for properties.
    static func propfind(_ names: [XMLTree.Name]) -> Data { document("d:propfind", properties(names)) }

    /// Asks for what changed since a token, or for everything.
    static func syncCollection(since token: String?) -> Data {
        document(
            "d:sync-collection",
            "<d:sync-token>\(escaped(token ?? ""))</d:sync-token><d:sync-level>1</d:sync-level>"
                + properties([.dav("getetag")]))
    }

    /// Asks for the content of several resources.
    static func multiget(_ paths: [DAVPath], of kind: DAVCollection.Kind) -> Data {
        let hrefs = paths.map { "<d:href>\(escaped($0.encoded))</d:href>" }.joined()
        let name = kind == .calendar ? "c:calendar-multiget" : "a:addressbook-multiget"
        return document(name, properties([.dav("getetag"), kind.data]) + hrefs)
    }

    private static func document(_ name: String, _ content: String) -> Data {
        let declarations = spaces.map { " xmlns:\($0.1)=\"\($0.0)\"" }.joined()
        return Data(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<\(name)\(declarations)>\(content)</\(name)>\n".utf8)
    }

    private static func properties(_ names: [XMLTree.Name]) -> String {
        let elements = names.map { name in
            "<\(spaces.first { $0.0 == name.space }?.1 ?? "d"):\(name.local)/>"
        }
        return "<d:prop>\(elements.joined())</d:prop>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
