// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    package import ParleyHTTP

    extension InheritedSocket {
        /// The socket that the process was started with: none here, for launchd hands sockets over in another way.
        package static func given(by environment: ProcessEnvironment) throws -> InheritedSocket? { nil }
    }
#endif
