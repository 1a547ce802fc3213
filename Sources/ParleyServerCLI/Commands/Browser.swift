// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The user's browser.
enum Browser {
    /// Opens an address; where there is no browser, the address has been printed.
    static func show(_ address: String) {
        let process = Process()
        #if os(macOS)
            process.executableURL = URL(filePath: "/usr/bin/open")
            process.arguments = [address]
        #else
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["xdg-open", address]
        #endif
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try? process.run()
    }
}
