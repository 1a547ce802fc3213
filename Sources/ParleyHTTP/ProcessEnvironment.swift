// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Environment variables: those of the process, or others instead, as for tests.
///
/// Code that depends on environment variables receives this type as a parameter and does not read them otherwise.
public struct ProcessEnvironment: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private let values: [String: String]

    /// Creates an environment with the given variables.
    public init(_ values: [String: String]) {
        self.values = values
    }

    /// Creates an environment with the given variables; if a name occurs repeatedly, the last value is used.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { $1 })
    }

    /// The variables of this process.
    public static var process: ProcessEnvironment { ProcessEnvironment(ProcessInfo.processInfo.environment) }

    /// The value of a variable; nil if it is empty or not set.
    public subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
