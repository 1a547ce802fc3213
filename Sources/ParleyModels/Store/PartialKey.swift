// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of a partial file: the same for everybody who wants the same file.
enum PartialKey {
    static func of(_ file: ManifestFile) -> String {
        if let sha256 = file.sha256 { return StoreLayout.blobName(sha256) }
        // Without a digest the address counts, less what changes from day to day.
        let sources = file.sources.map { source -> String in
            switch source.redacted {
            case .web(let url): url.absoluteString
            case .pythonPackage(let package): "\(package.package) \(package.version) \(package.member)"
            }
        }
        return "source-" + SHA256Hash.hexadecimal(of: Data((sources + [file.name]).joined(separator: "\n").utf8))
    }
}
