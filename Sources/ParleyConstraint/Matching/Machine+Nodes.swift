// SPDX-License-Identifier: Apache-2.0

extension Machine {
    /// Begins to read a node.
    mutating func enter(_ node: NodeID, frame: Int32) {
        work.spend(1)
        let depth = depth(of: frame)
        guard !work.isSpent, fits(node, depth: depth) else { return }
        switch program.nodes[Int(node)] {
        case .never: return
        case .leaf(let leaf): start(leaf, frame: frame)
        case .sequence(let parts): enter(parts, at: 0, of: node, frame: frame)
        case .choice(let alternatives):
            for alternative in alternatives { enter(alternative, frame: frame) }
        case .repetition(let repetition):
            if repetition.minimum == 0 { resume(frame) }
            guard repetition.maximum > 0 else { return }
            enter(repetition.item, frame: push(Frame(node: node, phase: .item, parent: frame, depth: depth)))
        case .array(let shape):
            let inner = Frame(node: node, phase: .open, parent: frame, depth: depth + 1)
            start(shape.punctuation.open, frame: push(inner))
        case .object(let shape):
            let inner = Frame(node: node, phase: .open, parent: frame, depth: depth + 1)
            start(shape.punctuation.open, frame: push(inner))
        }
    }

    /// Begins to read a part of a sequence; the last one needs no frame.
    private mutating func enter(_ parts: [NodeID], at index: Int, of node: NodeID, frame: Int32) {
        guard index < parts.count else { return resume(frame) }
        guard index < parts.count - 1 else { return enter(parts[index], frame: frame) }
        let inner = Frame(
            node: node, phase: .item, index: Int32(index), parent: frame, depth: depth(of: frame))
        enter(parts[index], frame: push(inner))
    }

    /// Continues a frame after the part that it was waiting for.
    mutating func resume(_ index: Int32, tag: Int32 = 0, text: Int32 = -1) {
        guard index >= 0 else { return hasEnded = true }
        let frame = frames[Int(index)]
        switch program.nodes[Int(frame.node)] {
        case .never, .leaf, .choice: return
        case .sequence(let parts):
            enter(parts, at: Int(frame.index) + 1, of: frame.node, frame: frame.parent)
        case .repetition(let repetition): resume(frame, repetition)
        case .array(let shape): resume(frame, shape)
        case .object(let shape): resume(frame, shape, tag: tag, text: text)
        }
    }

    private mutating func resume(_ frame: Frame, _ repetition: Repetition) {
        var next = frame
        if frame.phase == .item {
            next.count += 1
            if next.count >= repetition.minimum { resume(frame.parent) }
            guard next.count < repetition.maximum else { return }
            // Without an upper limit, counting can stop at the lower one.
            if repetition.maximum == .max { next.count = min(next.count, repetition.minimum) }
            if let separator = repetition.separator {
                next.phase = .comma
                return enter(separator, frame: push(next))
            }
        }
        next.phase = .item
        enter(repetition.item, frame: push(next))
    }

    private mutating func resume(_ frame: Frame, _ shape: ArrayShape) {
        var next = frame
        let least = shape.contained?.minimum ?? 0
        switch frame.phase {
        case .open:
            if shape.minimum == 0, least == 0 { start(shape.punctuation.closeEmpty, frame: frame.parent) }
            enterElement(next, shape)
        case .comma: enterElement(next, shape)
        default:
            next.count += 1
            if next.count >= shape.minimum, next.contained >= least {
                start(shape.punctuation.close, frame: frame.parent)
            }
            guard offersElement(next, shape) else { return }
            if shape.maximum == .max { next.count = min(next.count, max(shape.minimum, shape.prefixCount)) }
            if let contained = shape.contained, contained.maximum == .max {
                next.contained = min(next.contained, least)
            }
            next.phase = .comma
            start(shape.punctuation.comma, frame: push(next))
        }
    }

    /// The elements that may follow, each with the count of `contains` after it.
    private func elements(_ frame: Frame, _ shape: ArrayShape) -> [(node: NodeID, contained: Int32)] {
        guard frame.count < shape.maximum, let element = shape.element(at: frame.count) else { return [] }
        var elements = [(node: element, contained: frame.contained)]
        if let contained = shape.contained {
            if let without = contained.without { elements[0].node = without }
            if let wanted = contained.element(at: frame.count), frame.contained < contained.maximum {
                elements.append((wanted, frame.contained + 1))
            }
        }
        return elements.filter { element in
            guard fits(element.node, depth: frame.depth) else { return false }
            guard let contained = shape.contained else { return true }
            return mayGoOn(contained, shape, count: frame.count + 1, element.contained, depth: frame.depth)
        }
    }

    private mutating func offersElement(_ frame: Frame, _ shape: ArrayShape) -> Bool {
        if let distinct = shape.distinct { return offered(frame, shape, distinct) != 0 }
        guard shape.contained == nil else { return !elements(frame, shape).isEmpty }
        guard frame.count < shape.maximum, let element = shape.element(at: frame.count) else { return false }
        return fits(element, depth: frame.depth)
    }

    /// Whether an array can still meet `contains` and its minimum length.
    private func mayGoOn(
        _ contained: ArrayShape.Contained, _ shape: ArrayShape, count: Int32, _ found: Int32, depth: Int32
    ) -> Bool {
        if contained.maximum < .max, contained.without.map({ !fits($0, depth: depth) }) ?? true,
            shape.minimum - count > contained.maximum - found
        {
            return false
        }
        var missing = contained.minimum - found
        for index in min(count, Int32(contained.prefix.count))..<Int32(contained.prefix.count) where missing > 0 {
            guard index < shape.maximum else { return false }
            if fits(contained.prefix[Int(index)], depth: depth) {
                missing -= 1
            } else if !fits(shape.prefix[Int(index)], depth: depth) {
                // No element is possible here, so none after it either.
                return false
            }
        }
        guard missing > 0 else { return true }
        guard let rest = contained.rest, fits(rest, depth: depth) else { return false }
        return shape.maximum - max(count, Int32(contained.prefix.count)) >= missing
    }

    /// The set of values that may follow in an array whose elements must differ, one bit for each.
    private mutating func offered(_ frame: Frame, _ shape: ArrayShape, _ distinct: ArrayShape.Distinct) -> UInt64 {
        guard frame.count < shape.maximum else { return 0 }
        var left: UInt64 = 0
        for index in distinct.values.indices where fits(distinct.values[index], depth: frame.depth) {
            left |= 1 << UInt64(index)
        }
        left &= ~frame.used
        let allowed = left & distinct.allowed(at: Int(frame.count))
        work.spend(distinct.values.count)
        guard frame.count + 1 < shape.minimum else { return allowed }
        work.spend(distinct.values.count * Int(shape.minimum) * 8)
        var offered: UInt64 = 0
        for index in distinct.values.indices {
            let bit = UInt64(1) << UInt64(index)
            guard allowed & bit != 0 else { continue }
            let places = Int(frame.count) + 1..<Int(shape.minimum)
            if distinct.fills(places, with: left & ~bit) { offered |= bit }
        }
        return offered
    }

    private mutating func enterElement(_ frame: Frame, _ shape: ArrayShape) {
        var next = frame
        next.phase = .item
        if let distinct = shape.distinct {
            let offered = offered(frame, shape, distinct)
            for index in distinct.values.indices where offered >> UInt64(index) & 1 == 1 {
                next.used = frame.used | 1 << UInt64(index)
                enter(distinct.values[index], frame: push(next))
            }
            return
        }
        guard shape.contained != nil else {
            guard offersElement(frame, shape), let element = shape.element(at: frame.count) else { return }
            return enter(element, frame: push(next))
        }
        for element in elements(frame, shape) {
            next.contained = element.contained
            enter(element.node, frame: push(next))
        }
    }
}
