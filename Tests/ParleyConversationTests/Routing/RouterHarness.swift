// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyReplyCases

/// The parts that a router makes from pieces of output, with adjacent parts merged.
func route(
    _ pieces: [String], _ configuration: ResponseRouter.Configuration, _ reason: FinishReason = .stop
) -> [ResponsePart] {
    var router = ResponseRouter(configuration)
    var parts: [ResponsePart] = []
    for piece in pieces { parts += router.append(piece) }
    return (parts + router.finish(reason)).merged
}

func route(
    _ output: String, _ configuration: ResponseRouter.Configuration, _ reason: FinishReason = .stop
) -> [ResponsePart] {
    route([output], configuration, reason)
}
