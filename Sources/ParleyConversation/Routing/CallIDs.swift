// SPDX-License-Identifier: Apache-2.0

/// Gives function calls ids that are distinct within a conversation.
///
/// The ids follow from the history alone: a template may print them, and the same conversation has to give the same
/// prompt. Nine letters and digits is what the strictest templates (Mistral's) accept.
struct CallIDs: Sendable {
    private var used: Set<String>
    private var last: Int

    init(used: Set<String>) {
        self.used = used
        last = used.count
    }

    /// The id that the model gave, where it is free, or a new one.
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
