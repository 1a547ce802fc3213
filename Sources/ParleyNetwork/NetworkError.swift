// SPDX-License-Identifier: Apache-2.0

/// Why a network cannot be read from a file. An engine tells it as an error of its own.
package struct NetworkError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: Sendable {
        /// The file is damaged, or says things that cannot all be true.
        case invalidFile
        /// The file asks for what no layer does, or stores weights as no kernel reads them.
        case unsupported
    }

    /// What kind of failure it is.
    package let code: Code
    /// What happened and what to do.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
