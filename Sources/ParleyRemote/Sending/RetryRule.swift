// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP

/// Decides whether a request may be sent again.
///
/// A reply costs time and money, and a model may have acted on a request whose answer was lost. A request is therefore
/// sent again only if it is known that the server has not begun with it: if there was no connection, or if the server
/// said so.
enum RetryRule {
    /// Whether a failure without an answer came before the request was sent.
    static func isUnsent(_ error: HTTPError) -> Bool {
        guard error.code == .unreachable, let cause = error.cause as? URLError else { return false }
        return [.cannotConnectToHost, .cannotFindHost, .dnsLookupFailed].contains(cause.code)
    }

    /// Whether an answer says that the server has not begun and may later.
    static func isPostponed(status: Int, headers: HTTPHeaders, serverCode: String?) -> Bool {
        guard [429, 503].contains(status), headers["x-should-retry"]?.lowercased() != "false" else { return false }
        // Time changes nothing about these.
        return !["insufficient_quota", "insufficient_memory"].contains(serverCode)
    }
}
