// SPDX-License-Identifier: Apache-2.0

/// Assigns ids to function calls that are unique within a conversation.
///
/// The ids depend on the history alone, because a template may print them, and the same conversation must give the same
/// prompt. They have nine letters and digits, which is the only form that the strictest templates (Mistral's) accept.
struct CallIDs: Sendable {
    private var used: Set<String>
    private var last: Int

    init(used: Set<String>) {
        self.used = used
        last = used.count
    }

    /// Returns the id that the model wrote if it is unused, otherwise a new one.
    mutating func next(_ given: String?) -> String {
        if let given, !given.isEmpty, used.insert(given).inserted { return given }
        while true {
            last += 1
            let digits = String(last)
            let id = "call" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
            if used.insert(id).inserted { return id }
        }
    }
}
