// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Variables of the environment: the process's own, or others in their place.
///
/// What depends on them is handed this; nothing else reads them.
public struct ProcessEnvironment: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private let values: [String: String]

    /// Creates an environment of other variables.
    public init(_ values: [String: String]) {
        self.values = values
    }

    /// Creates an environment of other variables; of those with the same name the last one is taken.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { $1 })
    }

    /// The variables of this process.
    public static var process: ProcessEnvironment { ProcessEnvironment(ProcessInfo.processInfo.environment) }

    /// The value of a variable; nil also where it is empty.
    public subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
