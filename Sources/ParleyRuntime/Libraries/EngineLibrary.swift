// SPDX-License-Identifier: Apache-2.0

/// The library of an engine, which may be missing on a machine, or be another one than the engine was written for.
package protocol EngineLibrary: Sendable {
    /// The library, or the reason why it cannot be used; looked up once.
    static var found: Result<Self, RuntimeError> { get }

    /// Its version; nil if it does not tell.
    var version: String? { get }
}

extension EngineLibrary {
    /// Returns the library.
    ///
    /// - Throws: ``RuntimeError`` with code `unsupported` if it cannot be used.
    package static func checked() throws(RuntimeError) -> Self { try found.get() }

    /// Why the library cannot be used; nil if it can.
    package static var problem: String? {
        if case .failure(let error) = found { return error.message }
        return nil
    }

    /// The version of the library; nil if it cannot be used or does not tell.
    package static var version: String? { (try? found.get())?.version }
}
