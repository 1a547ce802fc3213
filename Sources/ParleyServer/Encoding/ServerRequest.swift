// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// A request with what is known of it before its body is read.
struct ServerRequest {
    var request: Request
    var context: ConnectionContext
    var client: RequestGuard.Client
    var record: RequestRecord
    /// What it takes of what its client may have.
    var claim: RequestClaim

    /// What reads its body.
    func bodyReader(_ limits: ServerLimits) -> BodyReader { context.bodyReader(limits, claim) }

    /// A name that the client gives the conversation; nil if it gives none.
    var conversation: String? { request.headers[.conversationID] }
}
