// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Libraries that are opened at run time")
struct DynamicLibraryTests {
    private let product = DynamicLibrary.Product(
        name: "Abacus", script: "scripts/install-abacus", oldest: LibraryVersion(1, 31))

    #if canImport(Darwin)
        private let system = "/usr/lib/libSystem.B.dylib"
    #elseif canImport(Glibc)
        private let system = "libc.so.6"
    #else
        private let system = "libc.so"
    #endif

    /// The message of an error that says that a library cannot be used.
    private func refusal(_ body: () throws -> Void) -> String? {
        let error = #expect(throws: RuntimeError.self, performing: body)
        #expect(error?.code == .unsupported)
        return error?.message
    }

    @Test("a library that is missing is told with the script that installs it")
    func missing() {
        let message = refusal { _ = try DynamicLibrary("libabacus-that-is-not-there.so", of: product) }
        #expect(message?.hasPrefix("libabacus-that-is-not-there.so is not found") == true)
        #expect(message?.contains("scripts/install-abacus installs Abacus") == true)
    }

    @Test("a function is found and can be called")
    func function() throws {
        let library = try DynamicLibrary(system, of: product)
        let length: @convention(c) (UnsafePointer<CChar>) -> Int = try library.function("strlen")
        #expect(length("four") == 4)
    }

    @Test("another library, which has none of the functions, is told with the script")
    func other() throws {
        let library = try DynamicLibrary(system, of: product)
        let message = refusal { let _: UnsafePointer<Int32> = try library.table("abacus_interface", interface: 1) }
        #expect(message?.contains("has no function abacus_interface") == true)
        #expect(message?.contains("older than Abacus 1.31") == true)
        #expect(message?.contains("scripts/install-abacus installs a newer one") == true)
    }

    @Test(
        "versions are read and compared number by number", arguments: ["1.31", "1.31.0", "1.100.2", "2.0.0rc1", "10.0"])
    func newEnough(version: String) throws {
        #expect(throws: Never.self) { try product.check(version: version) }
    }

    @Test(
        "an older version, or none, is told with the script",
        arguments: ["1.30.99", "1.4", "0.99.0", "", "x", "1", "1.", "-1.31", "99999999999999999999.1"])
    func tooOld(version: String) {
        let message = refusal { try product.check(version: version) }
        #expect(message?.contains("Run scripts/install-abacus again.") == true)
    }

    @Test("versions are written as they are known")
    func written() {
        #expect(LibraryVersion("0.32.4")?.description == "0.32.4")
        #expect(LibraryVersion(1, 5).description == "1.5")
        #expect(LibraryVersion("1.5.1+cpu") == LibraryVersion(1, 5, 1))
    }

    @Test("what a library says of a failed call is told in its name, and that it says nothing")
    func failure() {
        #expect(product.failure("out of beads").message == "Abacus: out of beads")
        #expect(product.failure("").message == "Abacus: no reason was given")
        #expect(product.failure(nil).message == "Abacus: no reason was given")
        #expect(product.failure(String(repeating: "x", count: 9_000)).message.count < 2_100)
    }
}

@Suite("Libraries of engines")
struct EngineLibraryTests {
    private struct Missing: EngineLibrary {
        static let found = Result<Missing, RuntimeError>.failure(RuntimeError(.unsupported, "It is not there."))
        var version: String? { "1.0" }
    }
    private struct Present: EngineLibrary {
        static let found = Result<Present, RuntimeError>.success(Present())
        var version: String? { "1.0" }
    }

    @Test("tell the reason why they cannot be used, and their version if they can")
    func tells() {
        #expect(Missing.problem == "It is not there.")
        #expect(Missing.version == nil)
        #expect(throws: RuntimeError.self) { try Missing.checked() }
        #expect(Present.problem == nil)
        #expect(Present.version == "1.0")
        #expect(throws: Never.self) { try Present.checked() }
    }
}
