// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyCalendar
import ParleySystem

/// A habit as a text file: comment lines with its properties, then a line for each day.
///
/// ```text
/// # name: Drink water
/// # unit: count
/// # frequency: daily
/// # emoji: 💧
///
/// 2026-11-21 8
/// 2026-11-22 6.5  # a hot day
/// ```
///
/// A day without a value counts as 1; the last line of a day counts. Other lines have no meaning and keep their bytes.
struct HabitDocument {
    private struct Line {
        var range: Range<Int>
        var day: CivilDate
        var value: Double
        /// Where the value stands; empty, after the day and its comma, if there is none.
        var place: Range<Int>
    }

    /// The largest number of days that are read.
    private static let most = 100_000

    /// The bytes of the file.
    private(set) var bytes: [UInt8]
    /// The properties by their names in lower case; the first line of a name counts.
    private(set) var properties: [String: String] = [:]
    private var lines: [Line] = []

    /// Reads a file; nil if it is no text.
    init?(_ bytes: [UInt8]) {
        guard !bytes.contains(0) else { return nil }
        self.bytes = bytes
        read()
    }

    /// The file of a new habit.
    init(name: String, unit: HabitAction.Unit, frequency: HabitAction.Frequency, emoji: String?) {
        var lines = ["# name: \(name)", "# unit: \(unit.rawValue)", "# frequency: \(frequency.rawValue)"]
        if let emoji { lines.append("# emoji: \(emoji)") }
        bytes = Array((lines + ["", ""]).joined(separator: "\n").utf8)
        read()
    }

    private mutating func read() {
        lines = []
        properties = [:]
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while let range = NoteLines.line(at: position, in: bytes) {
            position = range.upperBound
            let text = NoteLines.trimmed(range, of: bytes)
            if let line = day(range, text) {
                if lines.count < Self.most { lines.append(line) }
            } else if lines.isEmpty, properties.count < 20 {
                property(text)
            }
        }
    }

    private mutating func property(_ range: Range<Int>) {
        var text = bytes[range].drop { " \t".utf8.contains($0) }
        guard text.first == UInt8(ascii: "#") else { return }
        text = text.drop { "# \t".utf8.contains($0) }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon - text.startIndex <= 20 else { return }
        let key = String(decoding: text[..<colon], as: UTF8.self).lowercased()
        let value = PlainText.line(String(decoding: text[(colon + 1)...], as: UTF8.self))
        if properties[key] == nil, !value.isEmpty { properties[key] = value }
    }

    /// The day of a line such as `2026-11-22 1`; nil for any other line.
    private func day(_ range: Range<Int>, _ text: Range<Int>) -> Line? {
        var start = text.lowerBound
        while start < text.upperBound, [32, 9].contains(bytes[start]) { start += 1 }
        guard text.upperBound - start >= 10 else { return nil }
        let date = String(decoding: bytes[start..<(start + 10)], as: UTF8.self)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard date.map(\.utf8.count) == [4, 2, 2], date.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let year = Int(date[0]), let month = Int(date[1]), let number = Int(date[2]),
            let day = CivilDate(year: year, month: month, day: number)
        else { return nil }
        var place = (start + 10)..<(start + 10)
        let isBlank = { (index: Int) in [32, 9].contains(bytes[index]) }
        // A comma may stand between day and value, as in a table.
        var next = place.lowerBound
        while next < text.upperBound, isBlank(next) { next += 1 }
        if next < text.upperBound, [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":")].contains(bytes[next]) {
            next += 1
            place = next..<next
            while next < text.upperBound, isBlank(next) { next += 1 }
        }
        guard next < text.upperBound, bytes[next] != UInt8(ascii: "#") else {
            return Line(range: range, day: day, value: 1, place: place)
        }
        guard next > start + 10 else { return nil }
        let end = (next..<text.upperBound).first { isBlank($0) || bytes[$0] == UInt8(ascii: "#") } ?? text.upperBound
        guard end - next <= 30, let value = Double(String(decoding: bytes[next..<end], as: UTF8.self)), value.isFinite
        else { return nil }
        place = next..<end
        return Line(range: range, day: day, value: value, place: place)
    }

    /// What was recorded on each day.
    var values: [CivilDate: Double] {
        lines.reduce(into: [:]) { $0[$1.day] = $1.value }
    }

    /// Records the value of a day: in the line of the day where there is one, else in a new line in the order of days.
    mutating func record(_ value: Double, on day: CivilDate) {
        let text = Self.text(value)
        if let line = lines.last(where: { $0.day == day }) {
            bytes.replaceSubrange(line.place, with: Array((line.place.isEmpty ? " " + text : text).utf8))
        } else {
            let lineEnd = NoteLines.lineEnd(of: bytes)
            let before = lines.last { $0.day < day }?.range.upperBound
            let position = before ?? lines.first { $0.day > day }?.range.lowerBound ?? bytes.count
            let isOpen = position > 0 && bytes[position - 1] != 10 && !(position == 3 && bytes[0] == 0xEF)
            bytes.insert(contentsOf: Array(((isOpen ? lineEnd : "") + "\(day) \(text)\(lineEnd)").utf8), at: position)
        }
        read()
    }

    private static func text(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }
}
