// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import Testing

/// The answers in `Goldens/answers.json`, in the order of the cases that gave them.
enum AnswerGoldens {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Goldens/answers.json")

    /// Compares answers with the file.
    ///
    /// After a change that is meant, what the failed test has written takes the place of the file.
    static func compare(_ answers: JSONObject, in section: String) throws {
        let golden = (try? JSONValue(parsing: Data(contentsOf: file)))?[section]?.object ?? [:]
        for (title, answer) in answers where golden[title] != answer {
            Issue.record("\(section): \(title) is answered otherwise: \(answer.text().prefix(2_000))")
        }
        #expect(Set(golden.keys) == Set(answers.keys), "\(section)")
        guard golden != answers else { return }
        let place = FileManager.default.temporaryDirectory.appending(path: "answers-\(section).json")
        try Data(JSONValue.object(answers).text().utf8).write(to: place)
        Issue.record("The answers of now are in \(place.path)")
    }

    /// An answer with what is the same whenever it is asked for.
    static func form(_ answer: RawAnswer) -> JSONValue {
        var members: JSONObject = ["status": .integer(answer.status)]
        for name in ["content-type", "retry-after", "allow", "x-should-retry", "www-authenticate", "x-parley-ignored"] {
            members[name] = answer[name].map(JSONValue.string)
        }
        if answer["content-type"] == "text/event-stream" {
            members["events"] = .array(
                answer.events.map { event in
                    (try? JSONValue(parsing: event.utf8)).map(settled) ?? .string(event)
                })
        } else if answer["content-type"]?.hasPrefix("text/") == true {
            members["lines"] = .array(answer.body.split(separator: "\n").map { .string(settled(line: String($0))) })
        } else {
            members["body"] = settled(answer.json)
        }
        return .object(members)
    }

    /// A line of figures without times and sizes.
    private static func settled(line: String) -> String {
        guard !line.hasPrefix("#"), line.contains("seconds") || line.contains("memory"), !line.contains("_count"),
            let value = line.lastIndex(of: " ")
        else { return line }
        return line[...value] + "FIGURE"
    }

    /// JSON without ids, dates and times.
    private static func settled(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(var members):
            for (name, value) in members {
                switch name {
                case "id" where value.string?.contains("cmpl-") == true:
                    members[name] = .string((value.string ?? "").prefix { $0 != "-" } + "-ID")
                case "id", "item_id":
                    // The ids of a response and of its items are made of the request's.
                    let text = value.string ?? ""
                    if let kind = ["resp", "msg", "rs", "fc"].first(where: { text.hasPrefix($0 + "_") }) {
                        members[name] = .string(kind + "_ID")
                    }
                case "request_id": members[name] = "ID"
                case "created_at": members[name] = "TIME"
                case "created" where value.integer != 1_700_000_000: members[name] = "TIME"
                case "prompt_ms", "predicted_ms", "prompt_per_second", "predicted_per_second",
                    "longest_wait_seconds":
                    members[name] = "TIME"
                default: members[name] = settled(value)
                }
            }
            return .object(members)
        case .array(let elements): return .array(elements.map(settled))
        default: return json
        }
    }
}
