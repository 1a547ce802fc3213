// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Foundation

    extension HTTPRequest {
        /// The longest body that the system sends in one piece.
        private static let onePiece = 64 << 10
        /// How long a server may take to answer a greeting before the request itself is sent.
        private static let patience = Duration.seconds(2)

        /// A request to send before this one on the same connection; nil if that is of no use.
        ///
        /// Until a new connection ends, Foundation's URLSession watches whether more could be written to it, which is
        /// nearly always so, and the thread that serves all sessions never sleeps. A connection that has been used before
        /// is watched like that only if a body does not fit into one piece. Most answers come soon enough; those that may
        /// take minutes are worth another request.
        var greeting: HTTPRequest? {
            guard limits.answer > .seconds(60), (body?.count ?? 0) <= Self.onePiece,
                let root = URL(string: "/", relativeTo: url.withoutUser)?.absoluteURL
            else { return nil }
            var greeting = HTTPRequest(root, method: "HEAD")
            greeting.followsRedirects = false
            (greeting.limits.answer, greeting.limits.whole) = (Self.patience, Self.patience)
            return greeting
        }
    }
#endif
