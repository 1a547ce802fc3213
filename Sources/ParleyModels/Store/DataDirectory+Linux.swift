// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Foundation
    import ParleyHTTP

    extension ModelStore {
        /// The user's data directory according to the XDG base directory specification.
        static func platformDataDirectory(environment: ProcessEnvironment) -> URL {
            // The specification requires relative paths to be ignored.
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
                return URL(filePath: data, directoryHint: .isDirectory).appending(path: "parley")
            }
            let home = environment["HOME"] ?? NSHomeDirectory()
            return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".local/share/parley")
        }
    }
#endif
