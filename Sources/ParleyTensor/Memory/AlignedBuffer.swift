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

/// Memory aligned for the widest vector registers, freed with its last owner.
///
/// The pages of a large buffer take physical memory only when they are first written.
///
/// `@unchecked Sendable`: the buffer itself is immutable; who may write its bytes is settled by its owner (weights are
/// written before they are shared, scratch belongs to one step at a time).
package final class AlignedBuffer: @unchecked Sendable {
    /// The alignment of ``pointer`` in bytes.
    package static let alignment = 64

    /// The first byte.
    package let pointer: UnsafeMutableRawPointer
    /// The size in bytes.
    package let byteCount: Int

    /// Where the memory came from, which decides how it is freed.
    private enum Origin {
        /// Pages of its own, which return to the system when they are freed: an allocator would keep the caches of
        /// ended sequences.
        case pages
        case allocator
        case runtime
    }

    /// From this size on a buffer has pages of its own.
    private static let smallestMapping = 1 << 18
    private static let live = Atomic<Int>(0)
    private let origin: Origin

    /// The bytes of all buffers of this process that have not been freed.
    package static var liveByteCount: Int { live.load(ordering: .sequentiallyConsistent) }

    /// Allocates without clearing.
    ///
    /// - Parameters:
    ///   - byteCount: the size in bytes, 0 or more.
    ///   - isLocked: whether the memory is never to be swapped out; it is taken at once then.
    /// - Throws: ``AllocationError`` where the system has no such memory, or does not let it be locked.
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

    /// Allocates a small size that depends on no file and no caller. As for any small object, the process ends where
    /// there is no memory for it.
    init(smallByteCount byteCount: Int) {
        self.byteCount = byteCount
        (pointer, origin) = (.allocate(byteCount: max(byteCount, 1), alignment: Self.alignment), .runtime)
        Self.live.add(byteCount, ordering: .sequentiallyConsistent)
    }

    deinit {
        Self.free(pointer, byteCount, origin)
        Self.live.subtract(byteCount, ordering: .sequentiallyConsistent)
    }

    /// Allocates room for floats, all zero.
    ///
    /// - Throws: ``AllocationError`` where the system has no such memory.
    package convenience init(zeroedFloats count: Int) throws(AllocationError) {
        let (bytes, overflows) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        try self.init(byteCount: overflows ? .min : bytes)
        // Fresh pages are zero already, and take no memory until they are written.
        if origin != .pages { floats.initialize(repeating: 0, count: count) }
    }

    /// The bytes as floats.
    package var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }

    /// The bytes as half-precision bit patterns.
    var halves: UnsafeMutablePointer<UInt16> { pointer.assumingMemoryBound(to: UInt16.self) }

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

/// The system's `free`, whose name is hidden inside the buffer.
private func deallocate(_ memory: UnsafeMutableRawPointer) {
    free(memory)
}
