// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyDialect

/// Finds the functions to which a model cannot be held. Only the limits of compiling decide that, never the clock: the
/// result does not depend on the speed of the machine.
struct FunctionCheck {
    let dialect: any CallDialect

    /// The functions that cannot be called or whose schema cannot be enforced, in order; then those at the end that are
    /// too many together with the others.
    func refusals(of functions: [Function]) -> [FunctionRefusal] {
        var refusals: [FunctionRefusal] = []
        var usable: [Function] = []
        for function in functions {
            if !dialect.canCall(function.name) {
                let reason = "Its name cannot be written in the way in which this model calls functions."
                refusals.append(FunctionRefusal(name: function.name, reason: reason))
            } else if let fault = fault(in: [function]) {
                refusals.append(FunctionRefusal(name: function.name, reason: "Its schema cannot be enforced: \(fault)"))
            } else {
                usable.append(function)
            }
        }
        guard usable.count > 1, fault(in: usable) != nil else { return refusals }
        var (least, most) = (1, usable.count)
        while most - least > 1 {
            let middle = (least + most) / 2
            if fault(in: Array(usable.prefix(middle))) == nil { least = middle } else { most = middle }
        }
        return refusals
            + usable.dropFirst(least).map {
                FunctionRefusal(name: $0.name, reason: "Together with the others it is too large to be enforced.")
            }
    }

    private func fault(in functions: [Function]) -> String? {
        guard let grammar = dialect.rest(calling: functions) else { return nil }
        do {
            _ = try ConstraintProgram(grammar)
            return nil
        } catch {
            return error.description
        }
    }
}
