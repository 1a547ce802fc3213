// SPDX-License-Identifier: Apache-2.0

/// How far a reply has come in a program: a value, so that a copy is a way back.
public struct ConstraintState: Sendable {
    var machine: Machine

    /// The state before the first byte.
    public init(_ program: ConstraintProgram) {
        machine = Machine(program)
    }

    /// The program that is followed.
    public var program: ConstraintProgram { machine.program }

    /// Whether the reply may end here.
    public var canEnd: Bool { machine.hasEnded }

    /// Whether the reply must end here.
    public var isComplete: Bool { machine.hasEnded && machine.configurations.isEmpty }

    /// Reads one byte.
    ///
    /// - Returns: False, and nothing changes, where the byte may not stand here. Where finding that out took too much
    ///   work, no byte may stand here from then on, and asking for a mask throws.
    public mutating func advance(_ byte: UInt8) -> Bool {
        machine.work.fill()
        let mark = machine.mark
        let hasEnded = machine.hasEnded
        guard machine.step(0..<mark.configurations, byte) else {
            machine.goBack(to: mark)
            machine.hasEnded = hasEnded
            return false
        }
        machine.forget(before: mark.configurations)
        return true
    }

    /// Reads bytes.
    ///
    /// - Returns: False, and nothing changes, where the bytes may not stand here.
    public mutating func advance(_ bytes: some Sequence<UInt8>) -> Bool {
        var next = self
        for byte in bytes {
            guard next.advance(byte) else {
                machine.work = next.machine.work
                return false
            }
        }
        self = next
        return true
    }

    /// The bytes that must come next, as far as there is no choice; at most 256.
    ///
    /// They may be given to the model without asking it. Nothing is forced where the reply may end.
    public var forcedBytes: [UInt8] {
        var bytes: [UInt8] = []
        var state = self
        while bytes.count < 256, !state.canEnd, let byte = state.onlyByte {
            guard state.advance(byte) else { break }
            bytes.append(byte)
        }
        return bytes
    }

    private var onlyByte: UInt8? {
        var only: UInt8?
        for byte in UInt8.min ... .max where machine.mayRead(byte) {
            var next = self
            guard next.advance(byte) else { continue }
            if only != nil { return nil }
            only = byte
        }
        return only
    }
}

extension Machine {
    /// Whether a leaf has a way on for a byte; what is watched beside the leaf may still forbid it.
    func mayRead(_ byte: UInt8) -> Bool {
        configurations.contains { program.leaves[Int($0.leaf)].automaton.next($0.state, byte) >= 0 }
    }
}

extension ConstraintProgram {
    /// Whether bytes are a whole reply, as a model may write it.
    public func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
        var state = ConstraintState(self)
        return state.advance(bytes) && state.canEnd
    }
}
