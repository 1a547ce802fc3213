// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

extension JSONValue {
    /// The size of this value as the input of a template, in bytes: the UTF-8 length of its strings and names, and 32
    /// bytes for each value and each name. The limits of templates allow twice as much memory.
    package var inputByteCount: Int {
        switch self {
        case .string(let text): 32 + text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + $1.inputByteCount }
        case .object(let members): members.reduce(32) { $0 + 32 + $1.key.utf8.count + $1.value.inputByteCount }
        default: 32
        }
    }
}
