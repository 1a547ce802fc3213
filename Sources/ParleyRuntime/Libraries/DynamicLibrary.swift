// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A library that is opened at run time, so that nothing needs it to build, and a program starts without it.
///
/// It is never closed: its functions may be called as long as the process lives. `@unchecked Sendable`: the handle is a
/// constant.
package struct DynamicLibrary: @unchecked Sendable {
    /// What a library is a part of.
    package struct Product: Sendable {
        /// Its name.
        package let name: String
        /// The script of this package that installs it.
        package let script: String
        /// The oldest version that has been tested.
        package let oldest: LibraryVersion

        /// Creates a product.
        package init(name: String, script: String, oldest: LibraryVersion) {
            (self.name, self.script, self.oldest) = (name, script, oldest)
        }
    }

    /// Its name, which the system's loader looks up, or its path.
    package let fileName: String
    /// What it is a part of.
    package let product: Product
    private let handle: UnsafeMutableRawPointer

    /// Opens a library.
    ///
    /// - Parameters:
    ///   - fileName: its name, which the system's loader looks up, or its path.
    ///   - product: what it is a part of, for messages.
    /// - Throws: ``RuntimeError`` with code `unsupported` and the remedy.
    package init(_ fileName: String, of product: Product) throws(RuntimeError) {
        guard let handle = dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { " (\(String(cString: $0).prefix(300)))" } ?? ""
            throw product.unusable(
                "\(fileName) is not found, or not what it needs\(reason). \(product.script) installs \(product.name) and "
                    + "says how to build parley so that it is found.")
        }
        (self.fileName, self.product, self.handle) = (fileName, product, handle)
    }

    /// Names the file of a library on this system.
    ///
    /// - Parameter name: its name without what systems put before and after it.
    /// - Returns: the file's name.
    package static func fileName(_ name: String) -> String {
        #if canImport(Darwin)
            "lib\(name).dylib"
        #else
            "lib\(name).so"
        #endif
    }

    /// Looks up a function.
    ///
    /// - Parameter name: its name.
    /// - Returns: the function, of a type `@convention(c)` that must be the one that the library has.
    /// - Throws: ``RuntimeError`` with code `unsupported` if the library lacks it.
    package func function<Function>(_ name: String) throws(RuntimeError) -> Function {
        guard let symbol = dlsym(handle, name) else {
            throw product.unusable(
                "\(fileName) has no function \(name): it is older than \(product.name) \(product.oldest), with which this "
                    + "was tested, or another library. \(product.script) installs a newer one.")
        }
        return unsafeBitCast(symbol, to: Function.self)
    }

    /// The functions of a library that a script of this package compiles, in C types, over one with an interface in C++.
    ///
    /// - Parameters:
    ///   - name: the name of its only symbol, a function that returns a table of the others; NULL if it cannot be used.
    ///   - interface: the version of the C types, which is also the first number of the table.
    /// - Returns: the table, a constant.
    /// - Throws: ``RuntimeError`` with code `unsupported` if it was compiled for other types.
    package func table<Table>(_ name: String, interface: Int) throws(RuntimeError) -> UnsafePointer<Table> {
        let make: @convention(c) () -> UnsafeRawPointer? = try function(name)
        guard let table = make() else { throw product.unusable("\(product.name) cannot be started.") }
        guard table.load(as: Int32.self) == interface else {
            throw product.mismatch("\(fileName) was compiled for another version of Parley")
        }
        return table.assumingMemoryBound(to: Table.self)
    }
}

extension DynamicLibrary.Product {
    /// Checks a version.
    ///
    /// - Returns: the version, read.
    /// - Throws: ``RuntimeError`` with code `unsupported` if it is none, or older than has been tested.
    @discardableResult
    package func check(version text: String) throws(RuntimeError) -> LibraryVersion {
        guard let version = LibraryVersion(text) else {
            throw mismatch("\(name) tells no version (“\(text.prefix(30))”)")
        }
        guard version >= oldest else {
            throw mismatch("\(name) \(text.prefix(30)) is older than \(oldest), with which this was tested")
        }
        return version
    }

    /// The error of an installation whose parts do not match, or are too old.
    package func mismatch(_ what: String) -> RuntimeError { unusable("\(what). Run \(script) again.") }

    /// Makes the error of a call that has failed.
    ///
    /// - Parameter message: what the library says of it.
    /// - Returns: the error, with code `engineFailed`.
    package func failure(_ message: UnsafePointer<CChar>?) -> RuntimeError {
        let text = message.map { String(cString: $0) } ?? ""
        return RuntimeError(
            .engineFailed, "\(name): \(text.isEmpty ? "no reason was given" : String(text.prefix(2_000)))")
    }

    fileprivate func unusable(_ message: String) -> RuntimeError { RuntimeError(.unsupported, message) }
}
