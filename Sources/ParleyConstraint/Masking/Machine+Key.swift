// SPDX-License-Identifier: Apache-2.0

extension Machine {
    /// A key for this state's mask: equal keys mean equal masks.
    ///
    /// - Parameter cap: The maximum number of bytes of a token. Counts that are further than this from their bounds
    ///   make no difference.
    /// - Returns: The key; nil if it would be so long that the state is unlikely to recur.
    func key(cap: Int32) -> [Int32]? {
        var key: [Int32] = [hasEnded ? 1 : 0]
        for configuration in configurations {
            guard key.count < Self.keyLimit else { return nil }
            key += [configuration.leaf, configuration.state]
            switch program.leaves[Int(configuration.leaf)].kind {
            case .plain: break
            case .counted(let bounds):
                if bounds.isFree {
                    key.append(min(max(bounds.minimum - configuration.low, 0), cap))
                    key.append(min(bounds.maximum - configuration.low, cap))
                } else {
                    key.append(configuration.low)
                }
            case .declaredName: key += [configuration.low, configuration.high]
            case .newName: append(bytes(configuration.text), to: &key)
            }
            append(frame: configuration.frame, to: &key, cap: cap)
        }
        return key
    }

    /// The maximum length of a key, which the last configuration may exceed slightly.
    private static let keyLimit = 1 << 16

    private func append(_ bytes: [UInt8], to key: inout [Int32]) {
        key.append(Int32(bytes.count))
        key += bytes.map { Int32($0) }
    }

    private func append(frame innermost: Int32, to key: inout [Int32], cap: Int32) {
        var index = innermost
        while index >= 0 {
            let frame = frames[Int(index)]
            key += [frame.node, Int32(frame.phase.rawValue), frame.index]
            switch program.nodes[Int(frame.node)] {
            case .array(let shape):
                key.append(min(frame.count, shape.prefixCount))
                if shape.distinct != nil {
                    key += [Int32(truncatingIfNeeded: frame.used), Int32(truncatingIfNeeded: frame.used >> 32)]
                }
                if let contained = shape.contained {
                    append(frame.contained, contained.minimum, contained.maximum, to: &key, cap)
                }
                append(frame.count, shape.minimum, shape.maximum, to: &key, cap)
            case .repetition(let repetition):
                append(frame.count, repetition.minimum, repetition.maximum, to: &key, cap)
            case .object:
                key.append(frame.count)
                let names = bytes(ofNames: frame.names)
                key.append(Int32(names.count))
                for name in names { append(name, to: &key) }
            default: break
            }
            // The depth matters only near its limit, because a token opens at most one level for each byte.
            key.append(min(program.depthLimit - frame.depth, cap + program.tallest))
            index = frame.parent
        }
        key.append(-1)
    }

    private func append(_ count: Int32, _ minimum: Int32, _ maximum: Int32, to key: inout [Int32], _ cap: Int32) {
        key.append(min(max(minimum - count, 0), cap))
        key.append(min(maximum - count, cap))
    }
}
