// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Foundation
    import ParleyHTTP

    extension ModelStore {
        /// The user's directory for application data.
        static func platformDataDirectory(environment: ProcessEnvironment) -> URL {
            URL.applicationSupportDirectory.appending(path: "Parley", directoryHint: .isDirectory)
        }
    }
#endif
