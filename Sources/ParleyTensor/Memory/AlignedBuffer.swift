// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Memory aligned for the widest vector registers, freed with its last owner.
///
/// The pages of a large buffer take physical memory only when they are first written.
///
/// `@unchecked Sendable`: the buffer itself is immutable; who may write its bytes is settled by its owner (weights are
/// written before they are shared, scratch belongs to one step at a time).
public final class AlignedBuffer: @unchecked Sendable {
    /// The alignment of ``pointer`` in bytes.
    public static let alignment = 64

    /// The first byte.
    public let pointer: UnsafeMutableRawPointer
    /// The size in bytes.
    public let byteCount: Int

    /// From this size on a buffer has pages of its own, which go back to the system when it is freed: an allocator
    /// would keep the caches of ended sequences.
    private static let smallestMapping = 1 << 18
    private let isMapped: Bool

    /// Allocates without clearing.
    ///
    /// - Parameter byteCount: the size in bytes, 0 or more.
    public init(byteCount: Int) {
        self.byteCount = byteCount
        if byteCount >= Self.smallestMapping,
            let pages = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), pages != MAP_FAILED
        {
            (pointer, isMapped) = (pages, true)
        } else {
            (pointer, isMapped) = (.allocate(byteCount: max(byteCount, 1), alignment: Self.alignment), false)
        }
    }

    deinit {
        if isMapped {
            munmap(pointer, byteCount)
        } else {
            pointer.deallocate()
        }
    }

    /// Allocates room for floats, all zero.
    public convenience init(zeroedFloats count: Int) {
        self.init(byteCount: count * MemoryLayout<Float>.stride)
        // Fresh pages are zero already, and take no memory until they are written.
        if !isMapped { floats.initialize(repeating: 0, count: count) }
    }

    /// The bytes as floats.
    public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }

    /// The bytes as half-precision bit patterns.
    var halves: UnsafeMutablePointer<UInt16> { pointer.assumingMemoryBound(to: UInt16.self) }
}
