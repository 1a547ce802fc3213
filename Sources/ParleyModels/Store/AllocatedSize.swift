// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ModelStore {
    /// The room that a file takes on the disk, which is less than its length where parts of it have not come; 0 for none.
    static func allocatedSize(of url: URL) -> Int64 {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return 0 }
        return Int64(status.st_blocks) * 512
    }
}

extension PartialFile {
    /// The room that it takes on the disk.
    var allocatedByteCount: Int64 { ModelStore.allocatedSize(of: url) }
}
