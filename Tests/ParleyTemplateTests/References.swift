// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import ParleyTestSupport

extension References {
    /// 2026-03-07, 14:05:09 in a zone that is always UTC.
    static let options = RenderingOptions(now: { Date(timeIntervalSince1970: 1_772_892_309) }, timeZone: .gmt)

    /// What the recording script wrote.
    static let goldens = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")

    /// Where templates of real models are, which are fetched and not part of the repository.
    static let templates = url("templates")

    static var hasTemplates: Bool { has("templates/expected.json") }

    static func json(_ url: URL) throws -> JSONValue {
        try JSONValue(parsing: Data(contentsOf: url))
    }
}

/// How a rendering ended, in the terms of the recording script.
enum Outcome: Equatable, CustomStringConvertible {
    case text(String)
    case raised(String)
    case error(String)

    init(recorded: JSONValue) {
        if let text = recorded["text"]?.string {
            self = .text(text)
        } else if let message = recorded["raised"]?.string {
            self = .raised(message)
        } else {
            self = .error(recorded["error"]?.string ?? "?")
        }
    }

    init(_ source: String, _ context: JSONObject, constants: JSONObject = [:]) {
        do throws(TemplateError) {
            let template = try ChatTemplate(source: source)
            self.init(template, context, constants: constants)
        } catch {
            self = .error(error.description)
        }
    }

    init(_ template: ChatTemplate, _ context: JSONObject, constants: JSONObject = [:]) {
        do throws(TemplateError) {
            self = .text(try template.renderText(context, constants: constants, options: References.options))
        } catch {
            self = error.code == .raisedByTemplate ? .raised(error.message) : .error(error.description)
        }
    }

    /// Of errors that the template did not raise itself, only the occurrence is compared.
    func matches(_ other: Outcome) -> Bool {
        if case .error = self, case .error = other { return true }
        if case .text(let left) = self, case .text(let right) = other {
            return left.unicodeScalars.elementsEqual(right.unicodeScalars)
        }
        return self == other
    }

    var description: String {
        switch self {
        case .text(let text): "text: \(text)"
        case .raised(let message): "raised: \(message)"
        case .error(let message): "error: \(message)"
        }
    }
}
