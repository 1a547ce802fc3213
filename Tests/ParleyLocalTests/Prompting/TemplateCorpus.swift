// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport

/// The chat templates of llama.cpp's collection, which `scripts/fetch-references` brings.
enum TemplateCorpus {
    /// Their names, sorted; empty where they were not fetched.
    static let names: [String] = {
        let found = try? FileManager.default.contentsOfDirectory(atPath: References.url("templates").path)
        return (found ?? []).filter { $0.hasSuffix(".jinja") }.sorted()
    }()

    static func source(_ name: String) throws -> String {
        try String(contentsOf: References.url("templates/\(name)"), encoding: .utf8)
    }
}
