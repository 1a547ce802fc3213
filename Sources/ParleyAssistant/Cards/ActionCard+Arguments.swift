// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleySystem

extension ActionCard {
    /// Something that leaves the assistant with an action, as far as it can be shown.
    public struct Argument: Hashable, Sendable {
        /// What it is called.
        public var name: String
        /// The value, in one line.
        public var value: String
    }

    /// What a tool is called with, and the words of a web search that the headline has not room for: what a user must see
    /// before others get it.
    public var arguments: [Argument] {
        guard stage != .malformed else { return [] }
        let limit = stage == .proposed ? 1_000 : 120
        switch action {
        case .tool(_, let arguments)?:
            var shown = arguments.prefix(Self.mostArguments).map { argument in
                Argument(
                    name: CardText.line(argument.key, 60),
                    value: Self.shown(argument.value.string ?? argument.value.text(), limit))
            }
            if arguments.count > shown.count {
                shown.append(Argument(name: "and \(arguments.count - shown.count) more", value: "…"))
            }
            return shown
        case .webSearch(let query, _)? where query.count > Self.longestQuoted:
            return [Argument(name: "query", value: CardText.line(query, limit))]
        default: return []
        }
    }

    private static let mostArguments = 24

    /// A value in one line, which says if it has characters that nobody sees.
    private static func shown(_ value: String, _ limit: Int) -> String {
        var marks = PlainText.Marks()
        let hides = value.unicodeScalars.contains { $0 != "\r" && !marks.isSeen($0) }
        return CardText.line(value, limit) + (hides ? " (and characters that nobody sees)" : "")
    }
}
