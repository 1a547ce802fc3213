// SPDX-License-Identifier: Apache-2.0

/// The state of a program after part of a reply. It is a value: keep a copy to go back.
package struct ConstraintState: Sendable {
    var machine: Machine

    /// The state before the first byte.
    package init(_ program: ConstraintProgram) {
        machine = Machine(program)
    }

    /// The program that the reply follows.
    package var program: ConstraintProgram { machine.program }

    /// Whether the reply may end here.
    package var canEnd: Bool { machine.hasEnded }

    /// Whether the reply must end here.
    package var isComplete: Bool { machine.hasEnded && machine.configurations.isEmpty }

    /// Advances by one byte.
    ///
    /// - Returns: Whether the byte is allowed; if not, nothing changes. If checking it took too much work, no byte is
    ///   allowed from then on, and computing a mask throws.
    package mutating func advance(_ byte: UInt8) -> Bool {
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

    /// Advances by several bytes.
    ///
    /// - Returns: Whether the bytes are allowed; if not, nothing changes.
    package mutating func advance(_ bytes: some Sequence<UInt8>) -> Bool {
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
}

extension ConstraintProgram {
    /// Whether bytes are a whole reply, as a model may write it.
    package func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
        var state = ConstraintState(self)
        return state.advance(bytes) && state.canEnd
    }
}
