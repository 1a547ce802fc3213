// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import ParleySystem

/// A file mapped into memory for reading, until the last reference is gone.
///
/// If a file shrinks while it is mapped, reading the missing pages ends the process (SIGBUS). Model files must
/// therefore be replaced by renaming, and never rewritten in place.
///
/// `@unchecked Sendable` because of the pointer: the pages are never written, and stay mapped as long as `self` exists.
final class FileMapping: @unchecked Sendable {
    /// The bytes of the whole file.
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

    /// Releases the physical pages of a range; the system reads them from the file again when they are needed.
    func releasePages(_ range: Range<Int>) {
        guard !range.isEmpty, let base = bytes.baseAddress else { return }
        // The start is rounded down to a multiple of 64 KiB, because reading a page also maps the pages around it in
        // such a window, even those already released. A page that is released unnecessarily costs at most a page fault.
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
