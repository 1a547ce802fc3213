// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant

/// An element of an XML document from a server, with all that is in it.
package struct XMLTree: Hashable, Sendable {
    /// The name of an element: two elements are of one kind if both parts are equal.
    package struct Name: Hashable, Sendable {
        /// The namespace, such as `DAV:`.
        package var space: String
        /// The name in the namespace.
        package var local: String

        /// Creates a name.
        package init(_ space: String, _ local: String) { (self.space, self.local) = (space, local) }

        /// A name in the namespace of WebDAV.
        package static func dav(_ local: String) -> Name { Name("DAV:", local) }
        /// A name in the namespace of CalDAV.
        package static func calendar(_ local: String) -> Name { Name("urn:ietf:params:xml:ns:caldav", local) }
        /// A name in the namespace of CardDAV.
        package static func contacts(_ local: String) -> Name { Name("urn:ietf:params:xml:ns:carddav", local) }
        /// A name in the namespace of Apple's extensions.
        package static func apple(_ local: String) -> Name { Name("http://apple.com/ns/ical/", local) }
    }

    /// The bounds of a document.
    package struct Limits: Sendable {
        /// The largest number of elements inside each other.
        package var depth = 32
        /// The largest number of elements.
        package var elements = 1_000_000

        /// Creates the usual bounds.
        package init() {}
    }

    /// The name.
    package var name: Name
    /// The attributes without a namespace.
    package var attributes: [String: String] = [:]
    /// The text directly in the element.
    package var text = ""
    /// The elements directly in the element.
    package var children: [XMLTree] = []

    /// Creates an element.
    package init(_ name: Name) { self.name = name }

    /// The first element with a name.
    package subscript(name: Name) -> XMLTree? { children.first { $0.name == name } }

    /// All elements with a name.
    package func all(_ name: Name) -> [XMLTree] { children.filter { $0.name == name } }

    /// The text without white space around it; nil if nothing is left.
    package var word: String? {
        let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return word.isEmpty ? nil : word
    }

    /// Reads a document.
    ///
    /// A document with a type declaration is refused, and so is one in another encoding than UTF-8: declarations define
    /// entities, with which a few bytes become gigabytes or the content of a local file. (Foundation's parser is not
    /// used: on Linux it ends the process at some documents that are not valid.)
    ///
    /// - Throws: ``AssistantError`` with code `invalidAnswer` or `tooLarge`.
    package init(reading data: Data, limits: Limits = Limits()) throws(AssistantError) {
        var parser = XMLTreeParser(data, limits: limits)
        self = try parser.read()
    }
}
