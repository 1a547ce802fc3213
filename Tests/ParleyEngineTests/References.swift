// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport

extension References {
    /// A file of `Goldens`, beside these tests.
    static func golden<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let goldens = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
        return try JSONDecoder().decode(type, from: Data(contentsOf: goldens.appending(path: "\(name).json")))
    }
}
