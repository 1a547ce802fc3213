// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// Tells what a page lacks of blocks, in their JSON form, of which it has an earlier state.
///
/// Of a list of blocks, items, rows or inlines the end is told: `from`, the number of those that stay as they are; `grown`,
/// how the next one goes on, if it does; and, under the name of the list, those that follow. What goes on tells the end of
/// its own list in the same way, or as `text` the letters that take the place of the line end at its end.
enum BlockGrowth {
    /// The members that grow at their end; a value has one of them at most.
    private static let lists = ["inlines", "blocks", "items", "rows"]

    /// The end of a list.
    ///
    /// - Parameters:
    ///   - name: the name of the list.
    ///   - now: the list.
    ///   - told: the list as the page has it.
    ///   - place: how many elements the page has before these.
    /// - Returns: the members that tell it.
    static func end(
        _ name: String, of now: [JSONValue], since told: [JSONValue], from place: Int = 0
    ) -> JSONObject {
        let known = zip(now, told).prefix { $0 == $1 }.count
        var more = now[known...]
        var end: JSONObject = ["from": .integer(place + known)]
        if known < told.count, let first = more.first, let grown = growth(of: first, since: told[known]) {
            end["grown"] = .object(grown)
            more.removeFirst()
        }
        end[name] = .array(Array(more))
        return end
    }

    /// How a value goes on; nil for one that has to be told whole.
    private static func growth(of now: JSONValue, since told: JSONValue) -> JSONObject? {
        guard var members = now.object, var known = told.object else { return nil }
        if let text = members.removeValue(forKey: "text")?.string,
            let before = known.removeValue(forKey: "text")?.string
        {
            guard members == known, let more = letters(of: text, after: before) else { return nil }
            return ["text": .string(more)]
        }
        for name in lists {
            guard let list = members.removeValue(forKey: name)?.array,
                let before = known.removeValue(forKey: name)?.array
            else { continue }
            return members == known ? end(name, of: list, since: before) : nil
        }
        return nil
    }

    /// The letters of a text behind an earlier state of it; nil if it does not begin with that.
    private static func letters(of text: String, after before: String) -> String? {
        // Code has a line end before its last line has ended.
        let start = before.utf8.dropLast(before.utf8.last == 0x0A ? 1 : 0)
        guard text.utf8.starts(with: start) else { return nil }
        return String(decoding: text.utf8.dropFirst(start.count), as: UTF8.self)
    }
}
