// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant

/// The answer of a server about several resources (RFC 4918, section 13).
package struct Multistatus: Sendable {
    /// What is said of one resource.
    package struct Response: Sendable {
        /// The resource, as the server wrote it.
        package var href: String
        /// The status of the whole resource, such as 404; nil where there are properties.
        package var status: Int?
        /// The properties that the resource has.
        package var properties: [XMLTree.Name: XMLTree] = [:]

        /// The entity tag.
        package var etag: String? { properties[.dav("getetag")]?.word }
    }

    /// What is said of each resource.
    package var responses: [Response] = []
    /// The token with which to ask for what changes from now on (RFC 6578).
    package var syncToken: String?

    /// Reads the body of an answer.
    ///
    /// - Throws: ``AssistantError`` with code `invalidAnswer` or `tooLarge`.
    package init(reading data: Data) throws(AssistantError) {
        let root = try XMLTree(reading: data)
        guard root.name == .dav("multistatus") else {
            throw AssistantError(.invalidAnswer, "The server's answer is not the expected kind of XML.")
        }
        syncToken = root[.dav("sync-token")]?.word
        for element in root.all(.dav("response")) {
            var response = Response(href: "", status: element[.dav("status")].flatMap(Self.status))
            for part in element.all(.dav("propstat")) {
                guard part[.dav("status")].flatMap(Self.status) ?? 200 == 200 else { continue }
                for property in part[.dav("prop")]?.children ?? [] { response.properties[property.name] = property }
            }
            // One answer may name several resources that have the same status.
            for href in element.all(.dav("href")).compactMap(\.word) {
                response.href = href
                responses.append(response)
            }
        }
    }

    /// The number in a status line such as `HTTP/1.1 404 Not Found`.
    private static func status(_ element: XMLTree) -> Int? {
        let words = element.text.split(whereSeparator: \.isWhitespace)
        return words.count > 1 ? Int(words[1]) : nil
    }
}
