// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The descriptors of this process with which a file is open, as a child that is being started gets copies of them.
package func openDescriptors(of file: URL) -> [Int32] {
    var wanted = stat()
    guard stat(file.path, &wanted) == 0 else { return [] }
    return (0..<4_096).filter { descriptor in
        var found = stat()
        return fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
    }
}
