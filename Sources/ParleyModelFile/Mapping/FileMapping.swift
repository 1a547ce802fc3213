// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import ParleySystem

/// A file mapped read-only, unmapped with the last reference.
///
/// A file that shrinks while it is mapped ends the process when the lost pages are read (SIGBUS): publish model files
/// by renaming, and never rewrite them in place.
///
/// Unchecked because of the pointer: the pages are never written, and they outlive every access made through `self`.
final class FileMapping: @unchecked Sendable {
    /// The pages, of the file's length.
    let bytes: UnsafeRawBufferPointer

    /// Maps the file at a path.
    init(path: String) throws(ModelFileError) {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path, "cannot be opened", errno) }
        defer { close(descriptor) }

        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path, "cannot be examined", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ModelFileError(.unreadable, "\(path): not a file; give the path of a .gguf file.")
        }
        guard let size = ByteSize(exactly: status.st_size) else {
            throw ModelFileError(.unreadable, "\(path): a file of \(status.st_size) bytes is no model.")
        }
        let count = size.count
        guard count > 0 else {
            throw ModelFileError(.truncated, "\(path): the file is empty; download it again.")
        }
        guard let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
            throw .unreadable(path, "cannot be mapped into memory", errno)
        }
        bytes = UnsafeRawBufferPointer(start: base, count: count)
    }

    /// Gives the physical pages of a range back to the system; they are read from the file again when needed.
    func releasePages(_ range: Range<Int>) {
        guard !range.isEmpty, let base = bytes.baseAddress else { return }
        // Outwards to 64 KiB: reading a page maps its neighbours in such a window too, also those already released.
        // Dropping a neighbour's clean page costs it a fault at most.
        let window = max(Int(getpagesize()), 64 << 10)
        let lower = range.lowerBound / window * window
        let upper = range.upperBound
        madvise(UnsafeMutableRawPointer(mutating: base + lower), upper - lower, MADV_DONTNEED)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
}

extension ModelFileError {
    fileprivate static func unreadable(_ path: String, _ what: String, _ number: Int32) -> ModelFileError {
        ModelFileError(.unreadable, "\(path): the file \(what): \(String(cString: strerror(number))).")
    }
}
