// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport

/// Compiles a source with the built macros; the output is what an app's author sees.
///
/// A test that linked the macros would have SwiftPM build every library a second time.
struct MacroCompiler {
    /// Where the build put the modules and the macros; nil where this is no build of SwiftPM.
    private static let products: URL? = {
        let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let places = [
            Bundle.main.executableURL?.deletingLastPathComponent(), URL(filePath: "\(root)/.build/release"),
            URL(filePath: "\(root)/.build/debug"),
        ]
        return places.compactMap { $0 }.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "ParleyMacros-tool").path)
        }
    }()

    static var isThere: Bool { products != nil }

    /// What the compiler needs to find the package's modules in C, which those in Swift import.
    private static var moduleMaps: [String] {
        get throws {
            guard let products else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: products.path)
                .filter { $0.hasPrefix("CParley") && $0.hasSuffix(".build") }
                .map { "\(products.path)/\($0)/module.modulemap" }
        }
    }

    /// The compiler's output, including macro expansions.
    let output: String

    init(_ source: String) throws {
        let folder = URL.temporary()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try source.write(to: folder.appending(path: "source.swift"), atomically: true, encoding: .utf8)
        let products = Self.products?.path ?? ""
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.arguments = [
            "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm",
            "-module-name", "Source", "-package-name", "tests", "-I", "\(products)/Modules",
            "-Xfrontend", "-load-plugin-executable", "-Xfrontend", "\(products)/ParleyMacros-tool#ParleyMacros",
            "-Xfrontend", "-dump-macro-expansions", "source.swift",
        ]
        process.arguments? += try Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
    }

    /// The errors in the source itself, each with its line in front.
    var errors: [String] {
        output.split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /source\.swift:(\d+):\d+: error: (.*?)(?: \(from macro '.*'\))?/)
            else {
                return nil
            }
            return "\(match.1): \(match.2)"
        }
    }

    /// The non-empty expansions of a macro.
    func expansions(of macro: String) -> [String] {
        let rule = String(repeating: "-", count: 30)
        let parts = output.components(separatedBy: "\n\(rule)\n")
        return zip(parts, parts.dropFirst()).compactMap { name, text in
            name.contains("@__swiftmacro") && name.contains(macro) && !text.isEmpty ? text : nil
        }
    }
}
