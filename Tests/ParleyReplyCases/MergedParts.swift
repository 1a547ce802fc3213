// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation

extension [ResponsePart] {
    /// The parts with adjacent pieces of the same kind joined.
    package var merged: [ResponsePart] {
        reduce(into: []) { merged, part in
            switch (merged.last, part) {
            case (.text(let left)?, .text(let right)): merged[merged.count - 1] = .text(left + right)
            case (.reasoning(let left)?, .reasoning(let right)): merged[merged.count - 1] = .reasoning(left + right)
            default: merged.append(part)
            }
        }
    }
}
