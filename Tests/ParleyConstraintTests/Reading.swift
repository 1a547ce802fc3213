// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyTokenizer

// Mutating calls as functions that return the result, for use in expectations.

func reads(_ state: inout ConstraintState, _ bytes: some Sequence<UInt8>) -> Bool { state.advance(bytes) }

func reads(_ constraint: inout Constraint, _ token: TokenID) -> Bool { constraint.accept(token) }

func reads(_ constraint: inout LazyConstraint, _ token: TokenID) -> Bool { constraint.accept(token) }

/// The bytes that must follow, up to the first choice; empty where the reply may end.
func forced(_ state: ConstraintState) -> [UInt8] {
    var bytes: [UInt8] = []
    var state = state
    while !state.canEnd {
        let readable = (UInt8.min ... .max).filter { byte in
            var next = state
            return next.advance(byte)
        }
        guard readable.count == 1, state.advance(readable[0]) else { break }
        bytes += readable
    }
    return bytes
}
