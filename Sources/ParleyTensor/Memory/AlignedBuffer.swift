// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import ParleySystem
import Synchronization

/// A block of memory that is aligned for the widest vector registers and freed with the last reference to it.
///
/// Pages of a large buffer take physical memory only once they are written.
///
/// `@unchecked Sendable`: the pointer and size never change; the code that owns the buffer ensures that no two threads
/// write the same bytes at once (weights are written before they are shared, scratch memory is used by one step at a
/// time).
package final class AlignedBuffer: @unchecked Sendable {
    /// The alignment of ``pointer`` in bytes.
    package static let alignment = 64

    /// The first byte.
    package let pointer: UnsafeMutableRawPointer
    /// The size in bytes.
    package let byteCount: Int

    /// How the memory was allocated, which decides how it is freed.
    private enum Origin {
        /// Mapped with `mmap`. The pages go back to the system when they are freed; an allocator might keep the memory
        /// of sequences that have ended.
        case pages
        case allocator
        case runtime
    }

    /// Buffers of at least this many bytes are allocated with `mmap`.
    private static let smallestMapping = 1 << 18
    private static let live = Atomic<Int>(0)
    private let origin: Origin

    /// The total size in bytes of all buffers of this process that have not been freed.
    package static var liveByteCount: Int { live.load(ordering: .sequentiallyConsistent) }

    /// Allocates memory without setting it to zero.
    ///
    /// - Parameters:
    ///   - byteCount: the size in bytes, 0 or more.
    ///   - isLocked: whether the memory must never be swapped out; it then takes physical memory at once.
    /// - Throws: ``AllocationError`` if the system has too little memory, or does not allow it to be locked.
    package init(byteCount: Int, isLocked: Bool = false) throws(AllocationError) {
        guard byteCount >= 0, let (memory, origin) = Self.allocate(byteCount, pages: isLocked) else {
            throw AllocationError(byteCount: byteCount)
        }
        if isLocked, byteCount > 0, mlock(memory, byteCount) != 0 {
            let problem = MemoryLock.problem(locking: byteCount, code: errno)
            Self.free(memory, byteCount, origin)
            throw AllocationError(.lockingRefused, problem)
        }
        (self.byteCount, pointer, self.origin) = (byteCount, memory, origin)
        Self.live.add(byteCount, ordering: .sequentiallyConsistent)
    }

    /// Allocates a small buffer whose size depends neither on a file nor on a caller; like any small Swift object, it
    /// ends the process if there is no memory for it.
    init(smallByteCount byteCount: Int) {
        self.byteCount = byteCount
        (pointer, origin) = (.allocate(byteCount: max(byteCount, 1), alignment: Self.alignment), .runtime)
        Self.live.add(byteCount, ordering: .sequentiallyConsistent)
    }

    deinit {
        Self.free(pointer, byteCount, origin)
        Self.live.subtract(byteCount, ordering: .sequentiallyConsistent)
    }

    /// Allocates memory for `count` floats, all zero.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package convenience init(zeroedFloats count: Int) throws(AllocationError) {
        let (bytes, overflows) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        try self.init(byteCount: overflows ? .min : bytes)
        // Pages from `mmap` are already zero. Writing zeros to them would make them take physical memory.
        if origin != .pages { floats.initialize(repeating: 0, count: count) }
    }

    /// Gives the physical memory of the whole pages within a range back to the system; their contents are then undefined,
    /// and they can be written again. Small buffers keep their memory.
    package func giveBack(_ range: Range<Int>) {
        guard origin == .pages else { return }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = (max(range.lowerBound, 0) + page - 1) / page * page
        let end = range.upperBound >= byteCount ? byteCount : range.upperBound / page * page
        guard start < end else { return }
        // If the system refuses, the memory stays, which is no fault.
        #if canImport(Darwin)
            madvise(pointer + start, end - start, MADV_FREE)
        #else
            madvise(pointer + start, end - start, MADV_DONTNEED)
        #endif
    }

    /// The bytes as floats.
    package var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }

    private static func allocate(_ byteCount: Int, pages: Bool) -> (UnsafeMutableRawPointer, Origin)? {
        if byteCount >= smallestMapping || (pages && byteCount > 0) {
            let pages = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
            return pages.flatMap { $0 == MAP_FAILED ? nil : ($0, .pages) }
        }
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, alignment, max(byteCount, 1)) == 0 else { return nil }
        return memory.map { ($0, .allocator) }
    }

    private static func free(_ memory: UnsafeMutableRawPointer, _ byteCount: Int, _ origin: Origin) {
        switch origin {
        case .pages: munmap(memory, byteCount)
        case .allocator: deallocate(memory)
        case .runtime: memory.deallocate()
        }
    }
}

/// Calls the C function `free`, which inside `AlignedBuffer` is hidden by the buffer's own method.
private func deallocate(_ memory: UnsafeMutableRawPointer) {
    free(memory)
}
