// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyTokenizer

// Calls that change their argument, in the form that an expectation can hold.

func reads(_ state: inout ConstraintState, _ bytes: some Sequence<UInt8>) -> Bool { state.advance(bytes) }

func reads(_ constraint: inout Constraint, _ token: TokenID) -> Bool { constraint.accept(token) }

func reads(_ constraint: inout LazyConstraint, _ token: TokenID) -> Bool { constraint.accept(token) }
