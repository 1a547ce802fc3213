// SPDX-License-Identifier: Apache-2.0

extension Machine {
    mutating func resume(_ frame: Frame, _ shape: ObjectShape, tag: Int32, text: Int32) {
        var next = frame
        switch frame.phase {
        case .open:
            if mayClose(frame, shape) { start(shape.punctuation.closeEmpty, frame: frame.parent) }
            enterName(frame, shape)
        case .comma: enterName(frame, shape)
        case .name where !isNewName(frame):
            next.phase = .value
            next.index = tag + 1
            enter(shape.properties[Int(tag)].value, frame: push(next))
        case .name:
            next.phase = .colon
            next.names = use(text, after: frame.names)
            start(shape.colon, frame: push(next))
        case .colon:
            next.phase = .value
            enter(shape.others[Int(Self.behindDeclaredNames - frame.index)].value, frame: push(next))
        case .value, .item:
            // If the number of properties is not limited, it only matters whether there is one.
            next.count = shape.minimum > 0 || shape.maximum < .max ? frame.count + 1 : 1
            if mayClose(next, shape) { start(shape.punctuation.close, frame: frame.parent) }
            guard offersName(next, shape) else { return }
            next.phase = .comma
            start(shape.punctuation.comma, frame: push(next))
        }
    }

    /// Whether a frame reads an additional name or its value. Its index then identifies the kind of name, and lies
    /// outside the range of declared properties.
    private func isNewName(_ frame: Frame) -> Bool { frame.index > Self.behindDeclaredNames - 1_024 }

    private static let behindDeclaredNames = Int32.max

    private func mayClose(_ frame: Frame, _ shape: ObjectShape) -> Bool {
        let isComplete = isNewName(frame) || shape.requiredFrom[Int(frame.index)] == 0
        return isComplete && frame.count >= shape.minimum
    }

    /// The declared properties that may come next; nil where there are none.
    ///
    /// Properties come in the schema's order. Optional ones may be skipped, up to the next required one.
    private func declaredRange(_ frame: Frame, _ shape: ObjectShape) -> ClosedRange<Int32>? {
        guard !isNewName(frame), Int(frame.index) < shape.properties.count else { return nil }
        let last = Int32(shape.properties.count) - 1
        let required = shape.nextRequired[Int(frame.index)]
        var range = frame.index...max(frame.index, min(required, last))
        // If the maximum leaves room only for required properties, optional ones are skipped.
        if frame.count &+ 1 &+ shape.requiredFrom[Int(frame.index)] > shape.maximum {
            guard required <= last, frame.count < shape.maximum else { return nil }
            range = required...required
        }
        // If additional properties cannot make up the minimum, only a limited number of optional ones may be skipped.
        guard shape.minimum > 0, !shape.others.contains(where: { fits($0.value, depth: frame.depth) }) else {
            return range
        }
        var missing = max(shape.minimum - frame.count, 1)
        var highest = Int32(shape.properties.count)
        while missing > 0 {
            guard highest > range.lowerBound else { return nil }
            highest -= 1
            if fits(shape.properties[Int(highest)].value, depth: frame.depth) { missing -= 1 }
        }
        return range.lowerBound...min(range.upperBound, highest)
    }

    /// Whether an additional property may come next.
    private func mayAdd(_ frame: Frame, _ shape: ObjectShape, _ others: ObjectShape.Others) -> Bool {
        guard frame.count < shape.maximum, isNewName(frame) || shape.requiredFrom[Int(frame.index)] == 0,
            fits(others.value, depth: frame.depth)
        else { return false }
        return offersName(others, at: 0, text: -1, used: frame.names)
    }

    /// Whether an unused name begins with the letters read so far.
    func offersName(_ others: ObjectShape.Others, at state: Int32, text: Int32, used: Int32) -> Bool {
        guard !others.completions.isEmpty else { return true }
        let automaton = program.leaves[Int(others.name)].automaton
        let quote = UInt8(ascii: "\"")
        let prefix = bytes(text)
        let count = bytes(ofNames: used).lazy.filter { name in
            name.starts(with: prefix) && automaton.accepts([quote] + name + [quote])
        }.count
        return count < Int(others.completions[Int(state)])
    }

    /// Whether another property may come.
    private func offersName(_ frame: Frame, _ shape: ObjectShape) -> Bool {
        if shape.others.contains(where: { mayAdd(frame, shape, $0) }) { return true }
        guard let range = declaredRange(frame, shape) else { return false }
        return range.contains { fits(shape.properties[Int($0)].value, depth: frame.depth) }
    }

    private mutating func enterName(_ frame: Frame, _ shape: ObjectShape) {
        var next = frame
        next.phase = .name
        if let range = declaredRange(frame, shape),
            range.contains(where: { fits(shape.properties[Int($0)].value, depth: frame.depth) })
        {
            start(shape.declaredNames, frame: push(next), low: range.lowerBound, high: range.upperBound)
        }
        for (index, others) in shape.others.enumerated() where mayAdd(frame, shape, others) {
            next.index = Self.behindDeclaredNames - Int32(index)
            start(others.name, frame: push(next))
        }
    }
}
