// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyCalendar
import ParleyFiles

/// How the content that a server has of an item goes together with the file.
package enum ItemMerge: Hashable, Sendable {
    /// Both are the same; the file stays.
    case same
    /// The server's content replaces a file that was not changed here, or a missing one.
    case take
    /// The item was changed on both sides.
    case conflict

    /// Decides.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - state: the items as both sides had them last, and what may have happened since.
    ///   - local: the content of the file; nil if there is none.
    ///   - theirs: the content on the server.
    package init(_ name: String, _ state: MirrorState, local: Data?, theirs: Data) {
        // A missing file that was here has been deleted by the user, while somebody else changed the item.
        let isOurs = state.isOurs(local.map(SHA256Hash.hexadecimal), in: name)
        if local == theirs {
            self = .same
        } else if isOurs {
            self = .take
        } else {
            self = local.map { Self.isSame($0, theirs) } == true ? .same : .conflict
        }
    }

    /// Whether two calendars or contacts say the same, in whatever order and with whatever line breaks.
    ///
    /// Servers write anew what they are sent. What they add of their own accord is not looked at: when an item was
    /// changed, by which program, and how zones are defined.
    package static func isSame(_ ours: Data, _ theirs: Data) -> Bool {
        guard let first = meanings(of: ours), let second = meanings(of: theirs) else { return false }
        return first == second
    }

    /// A digest that is the same for what says the same, as far as ``isSame(_:_:)`` goes.
    package static func meaning(of content: Data) -> String {
        guard let meanings = meanings(of: content) else { return SHA256Hash.hexadecimal(of: content) }
        return SHA256Hash.hexadecimal(of: Data(meanings.map(\.text).joined().utf8))
    }

    private static func meanings(of content: Data) -> [Meaning]? {
        try? ContentStream(reading: content, limits: .ofItems).components.map(Meaning.init)
    }
}

/// What a component says, without how it is written.
private struct Meaning: Hashable, Comparable {
    private let lines: [String]
    private let parts: [Meaning]
    private let name: String

    private static let ignored: Set = ["PRODID", "DTSTAMP", "LAST-MODIFIED", "CREATED", "REV"]

    init(_ component: ContentComponent) {
        name = component.name
        var lines: [String] = []
        for item in component.items {
            guard case .line(let line) = item, !Self.ignored.contains(line.key) else { continue }
            // A line that cannot be read counts as it is.
            guard !line.isMalformed else {
                lines.append(String(decoding: line.bytes, as: UTF8.self))
                continue
            }
            let parameters = line.parameters.map { "\($0.name.uppercased())=\($0.values)" }.sorted()
            lines.append("\(line.key);\(parameters):\(line.value)")
        }
        self.lines = lines.sorted()
        parts = component.components.filter { $0.name != "VTIMEZONE" }.map(Meaning.init).sorted()
    }

    /// All of it, in one order.
    var text: String {
        "{\(name)\n" + lines.map { $0 + "\n" }.joined() + parts.map(\.text).joined() + "}\n"
    }

    static func < (first: Meaning, second: Meaning) -> Bool {
        if first.name != second.name { return first.name < second.name }
        if first.lines != second.lines { return first.lines.lexicographicallyPrecedes(second.lines) }
        return first.parts.lexicographicallyPrecedes(second.parts)
    }
}
