// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    extension HTTPRequest {
        /// Nil: on Apple's systems waiting costs nothing.
        var greeting: HTTPRequest? { nil }
    }
#endif
