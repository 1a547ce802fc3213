// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyJSON

/// A line of the file of a log.
enum ActionRecord: Hashable, Sendable {
    /// What is about to be written.
    case intent(ActionLogEntry)
    /// What became of one change of an entry.
    case outcome(entry: Int, change: Int, ActionLogEntry.Outcome)

    /// The line, with its line feed.
    var line: Data { Data((json.text() + "\n").utf8) }

    /// The bytes of the items in the record, of which the line has more.
    var contentBytes: Int {
        guard case .intent(let entry) = self else { return 0 }
        return entry.changes.reduce(0) { $0 + ($1.before?.content.count ?? 0) + ($1.after?.content.count ?? 0) }
    }

    private var json: JSONValue {
        switch self {
        case .intent(let entry):
            var object: JSONValue = [
                "kind": "intent", "entry": .integer(entry.id), "time": .string(Self.text(entry.time)),
                "title": .string(entry.title), "reason": .string(entry.reason.rawValue),
            ]
            if let origin = entry.origin {
                object["chat"] = .string(origin.chat)
                object["message"] = .string(origin.message)
                object["card"] = .integer(origin.index)
            }
            if let undoes = entry.undoes { object["undoes"] = .integer(undoes) }
            if entry.isOwn { object["own"] = true }
            object["changes"] = .array(
                entry.changes.map { ["before": Self.json($0.before), "after": Self.json($0.after)] })
            return object
        case .outcome(let entry, let change, let outcome):
            var object: JSONValue = ["kind": "outcome", "entry": .integer(entry), "change": .integer(change)]
            switch outcome {
            case .done: object["result"] = "done"
            case .gone: object["result"] = "gone"
            case .unclear: object["result"] = "unclear"
            case .failed(let reason):
                object["result"] = "failed"
                object["why"] = .string(reason)
            }
            return object
        }
    }

    /// Reads a line; nil if it is none.
    init?(_ line: Data) {
        // Numbers can be counted on, whatever the line says.
        guard let json = try? JSONValue(parsing: line), let number = json["entry"]?.integer,
            (1...1 << 52).contains(number)
        else { return nil }
        switch json["kind"]?.string {
        case "outcome":
            guard let change = json["change"]?.integer, change >= 0 else { return nil }
            switch json["result"]?.string {
            case "done": self = .outcome(entry: number, change: change, .done)
            case "gone": self = .outcome(entry: number, change: change, .gone)
            case "unclear": self = .outcome(entry: number, change: change, .unclear)
            case "failed": self = .outcome(entry: number, change: change, .failed(json["why"]?.string ?? ""))
            default: return nil
            }
        case "intent":
            guard let time = json["time"]?.string.flatMap({ try? Self.style.parse($0) }),
                let reason = json["reason"]?.string.flatMap({ LogEntry<StoreItem>.Reason(rawValue: $0) }),
                let list = json["changes"]?.array, !list.isEmpty
            else { return nil }
            var changes: [Change<StoreItem>] = []
            for change in list {
                guard let before = Self.item(change["before"]), let after = Self.item(change["after"]) else {
                    return nil
                }
                changes.append(Change(before: before.item, after: after.item))
            }
            var origin: ActionOrigin?
            if let chat = json["chat"]?.string, let message = json["message"]?.string,
                let card = json["card"]?.integer
            {
                origin = ActionOrigin(chat: chat, message: message, index: card)
            }
            self = .intent(
                ActionLogEntry(
                    id: number, time: time, origin: origin, title: json["title"]?.string ?? "", reason: reason,
                    undoes: json["undoes"]?.integer, changes: changes, outcomes: changes.map { _ in nil },
                    isOwn: json["own"]?.bool == true))
        default: return nil
        }
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func text(_ time: Date) -> String { time.formatted(style) }

    /// An item as text where its bytes are UTF-8, so that the log can be read, else in Base64.
    private static func json(_ item: StoreItem?) -> JSONValue {
        guard let item else { return nil }
        var object: JSONValue = ["store": .string(item.id.store), "path": .string(item.id.path)]
        if let text = String(validating: item.content, as: UTF8.self) {
            object["text"] = .string(text)
        } else {
            object["base64"] = .string(item.content.base64EncodedString())
        }
        return object
    }

    /// Reads an item or null; nil if the value is neither.
    private static func item(_ json: JSONValue?) -> (item: StoreItem?, Void)? {
        guard let json else { return nil }
        if json.isNull { return (nil, ()) }
        guard let store = json["store"]?.string, let path = json["path"]?.string else { return nil }
        let content =
            json["text"]?.string.map { Data($0.utf8) } ?? json["base64"]?.string.flatMap { Data(base64Encoded: $0) }
        return content.map { (StoreItem(id: StoreItem.ID(store: store, path: path), content: $0), ()) }
    }
}
