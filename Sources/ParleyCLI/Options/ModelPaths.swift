// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

/// The paths that a shell offers as completions for a model's file.
package enum ModelPaths {
    /// The model files and directories whose paths begin with `prefix`. A directory ends with a slash, so that
    /// completion can continue inside it.
    package static func completing(_ prefix: String) -> [String] {
        let directory = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let path = NSString(string: directory.isEmpty ? "." : directory).expandingTildeInPath
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().compactMap { name in
            guard (directory + name).hasPrefix(prefix), !name.hasPrefix(".") else { return nil }
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isDirectory) else {
                return nil
            }
            if isDirectory.boolValue { return directory + name + "/" }
            return ModelFormat.gguf.isFormat(ofFileNamed: name) ? directory + name : nil
        }
    }
}
