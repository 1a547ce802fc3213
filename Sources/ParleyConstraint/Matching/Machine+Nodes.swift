// SPDX-License-Identifier: Apache-2.0

extension Machine {
    /// Begins to read a node.
    mutating func enter(_ node: NodeID, frame: Int32) {
        let depth = depth(of: frame)
        guard fits(node, depth: depth) else { return }
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

    /// Goes on after what a frame was waiting for has been read.
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
            // Without an upper limit, only the way to the lower one needs counting.
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
        switch frame.phase {
        case .open:
            if shape.minimum == 0 { start(shape.punctuation.closeEmpty, frame: frame.parent) }
            enterElement(next, shape)
        case .comma: enterElement(next, shape)
        default:
            next.count += 1
            if next.count >= shape.minimum { start(shape.punctuation.close, frame: frame.parent) }
            guard next.count < shape.maximum, let element = shape.element(at: next.count),
                fits(element, depth: frame.depth)
            else { return }
            if shape.maximum == .max { next.count = min(next.count, max(shape.minimum, Int32(shape.prefix.count))) }
            next.phase = .comma
            start(shape.punctuation.comma, frame: push(next))
        }
    }

    private mutating func enterElement(_ frame: Frame, _ shape: ArrayShape) {
        guard frame.count < shape.maximum, let element = shape.element(at: frame.count),
            fits(element, depth: frame.depth)
        else { return }
        var next = frame
        next.phase = .item
        enter(element, frame: push(next))
    }
}
