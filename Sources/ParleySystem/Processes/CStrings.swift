// SPDX-License-Identifier: Apache-2.0

/// Calls a closure with a list of C strings that ends with nil.
func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for string in strings {
        starts.append(bytes.count)
        bytes += string.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    return bytes.withUnsafeMutableBufferPointer { buffer in
        var pointers = starts.map { start in buffer.baseAddress.map { $0 + start } } + [nil]
        return pointers.withUnsafeMutableBufferPointer { list in
            guard let base = list.baseAddress else { return body([nil]) }
            return body(UnsafePointer(base))
        }
    }
}
