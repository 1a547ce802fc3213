// SPDX-License-Identifier: Apache-2.0

/// Stripping and splitting, as Python's string methods do; the parts share the text's storage.
extension MarkedText {
    enum Side { case left, right, both }

    /// The text without the characters at its ends that satisfy a condition.
    func stripped(
        _ meter: Meter, _ side: Side, where isStripped: (Unicode.Scalar) -> Bool
    ) throws(TemplateError) -> MarkedText {
        var (start, end) = (0, size)
        if side != .right {
            while start < end {
                let scalar = scalar(at: start)
                try meter.work(8 + MarkedText.price(ofProperties: scalar))
                guard isStripped(scalar) else { break }
                start = self.end(after: start)
            }
        }
        if side != .left {
            while end > start, let scalar = scalar(before: end) {
                try meter.work(8 + MarkedText.price(ofProperties: scalar))
                guard isStripped(scalar) else { break }
                end = self.start(before: end)
            }
        }
        return self[start..<end]
    }

    /// The text without the given characters at its ends, or without white space there.
    func stripped(_ meter: Meter, _ side: Side, of characters: MarkedText?) throws(TemplateError) -> MarkedText {
        guard let characters else { return try stripped(meter, side, where: \.isPythonSpace) }
        var set: Set<Unicode.Scalar> = []
        try meter.reserve(16 * characters.size)
        defer { meter.release(16 * characters.size) }
        for (_, scalar) in characters.characters {
            try meter.work(16)
            set.insert(scalar)
        }
        return try stripped(meter, side) { set.contains($0) }
    }

    /// The parts between separators, which must not be empty.
    func split(_ meter: Meter, by separator: MarkedText, limit: Int) throws(TemplateError) -> Row<MarkedText> {
        let parts = try Row<MarkedText>(meter)
        var start = 0
        try forEachPlace(of: separator, in: 0..<size, meter) { (place) throws(TemplateError) in
            guard parts.count < limit else { return false }
            try parts.append(self[start..<place])
            start = place + separator.size
            return true
        }
        try parts.append(self[start..<size])
        return parts
    }

    /// The parts between the rightmost separators.
    func splitFromRight(
        _ meter: Meter, by separator: MarkedText, limit: Int
    ) throws(TemplateError) -> Row<MarkedText> {
        let parts = try Row<MarkedText>(meter)
        var end = size
        while parts.count < limit, let place = try lastPlace(of: separator, in: 0..<end, meter) {
            try parts.append(self[(place + separator.size)..<end])
            end = place
        }
        try parts.append(self[0..<end])
        return try parts.reversed()
    }

    /// The words between white space; after `limit` words the rest is one part.
    func words(_ meter: Meter, limit: Int) throws(TemplateError) -> Row<MarkedText> {
        let parts = try Row<MarkedText>(meter)
        var rest = try stripped(meter, .left, of: nil)
        while !rest.isEmpty {
            guard parts.count < limit else {
                try parts.append(rest)
                break
            }
            var end = 0
            while end < rest.size {
                let scalar = rest.scalar(at: end)
                try meter.work(MarkedText.price(ofProperties: scalar))
                guard !scalar.isPythonSpace else { break }
                end = rest.end(after: end)
            }
            try parts.append(rest[0..<end])
            rest = try rest[end..<rest.size].stripped(meter, .left, of: nil)
        }
        return parts
    }

    /// The words between white space from the right; before the last `limit` words the rest is one part.
    func wordsFromRight(_ meter: Meter, limit: Int) throws(TemplateError) -> Row<MarkedText> {
        let parts = try Row<MarkedText>(meter)
        var rest = try stripped(meter, .right, of: nil)
        while !rest.isEmpty {
            guard parts.count < limit else {
                try parts.append(rest)
                break
            }
            var start = rest.size
            while start > 0, let scalar = rest.scalar(before: start) {
                try meter.work(MarkedText.price(ofProperties: scalar))
                guard !scalar.isPythonSpace else { break }
                start = rest.start(before: start)
            }
            try parts.append(rest[start..<rest.size])
            rest = try rest[0..<start].stripped(meter, .right, of: nil)
        }
        return try parts.reversed()
    }

    /// The lines, without a last empty one.
    func lines(_ meter: Meter, keepingEnds: Bool) throws(TemplateError) -> Row<MarkedText> {
        let lines = try Row<MarkedText>(meter)
        var (start, index) = (0, 0)
        while index < size {
            try meter.work(4)
            let end = index
            let scalar = scalar(at: index)
            index = self.end(after: index)
            guard scalar.isPythonLineBreak else { continue }
            if scalar == "\r", index < size, self[index] == UInt8(ascii: "\n") { index += 1 }
            try lines.append(self[start..<(keepingEnds ? index : end)])
            start = index
        }
        if start < size { try lines.append(self[start..<size]) }
        return lines
    }
}

extension Row {
    /// The elements from the last to the first.
    func reversed() throws(TemplateError) -> Row {
        let row = try Row(meter)
        try row.append(contentsOf: elements.reversed())
        return row
    }
}
