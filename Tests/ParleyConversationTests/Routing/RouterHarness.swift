// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// The parts that a router makes from pieces of output, with adjacent parts merged.
func route(
    _ pieces: [String], _ configuration: ResponseRouter.Configuration, _ reason: FinishReason = .stop
) -> [ResponsePart] {
    var router = ResponseRouter(configuration)
    var parts: [ResponsePart] = []
    for piece in pieces { parts += router.append(piece) }
    return merged(parts + router.finish(reason))
}

func route(
    _ output: String, _ configuration: ResponseRouter.Configuration, _ reason: FinishReason = .stop
) -> [ResponsePart] {
    route([output], configuration, reason)
}

/// Parts with adjacent pieces of the same kind joined.
func merged(_ parts: [ResponsePart]) -> [ResponsePart] {
    var merged: [ResponsePart] = []
    for part in parts {
        switch (merged.last, part) {
        case (.text(let left)?, .text(let right)): merged[merged.count - 1] = .text(left + right)
        case (.reasoning(let left)?, .reasoning(let right)): merged[merged.count - 1] = .reasoning(left + right)
        default: merged.append(part)
        }
    }
    return merged
}
