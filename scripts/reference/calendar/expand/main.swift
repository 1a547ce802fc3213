// SPDX-License-Identifier: Apache-2.0

// Reads cases from the standard input, one a line: start, end (seconds since 1970), zone and the calendar in base64, with
// spaces between them. Writes for each a line of JSON: the occurrences of its events.

import Foundation
import ParleyCalendar

struct Found: Encodable {
    var uid: String
    var start: Int
    var end: Int
    var day: Bool
    var summary: String
}

func expand(_ line: String) throws -> String {
    let parts = line.split(separator: " ")
    guard parts.count == 4, let start = Double(parts[0]), let end = Double(parts[1]),
        let zone = TimeZone(identifier: String(parts[2])), let data = Data(base64Encoded: String(parts[3]))
    else { return "null" }
    let calendar = try CalendarObject(reading: data)
    let range = DateInterval(
        start: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: end))
    let list = try calendar.occurrences(of: CalendarEvent.self, in: range, local: zone)
    let found = list.occurrences.map {
        Found(
            uid: $0.item.uid, start: Int($0.interval.start.timeIntervalSince1970),
            end: Int($0.interval.end.timeIntervalSince1970), day: $0.isAllDay, summary: $0.item.summary ?? "")
    }
    let problems = list.problems.mapValues(\.description)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    struct Result: Encodable { var found: [Found], problems: [String: String] }
    return String(decoding: try encoder.encode(Result(found: found, problems: problems)), as: UTF8.self)
}

if CommandLine.arguments.count > 1 {
    // Reads each file, and says whether it is written with the same bytes.
    for path in CommandLine.arguments.dropFirst() {
        let data = try Data(contentsOf: URL(filePath: path))
        do {
            let stream = try ContentStream(reading: data)
            print(stream.bytes == Array(data) ? "same" : "different", stream.components.count, path)
        } catch {
            print("refused", path, error)
        }
    }
} else {
    while let line = readLine() {
        do { print(try expand(line)) } catch { print("{\"error\": \"\(error)\"}") }
    }
}
