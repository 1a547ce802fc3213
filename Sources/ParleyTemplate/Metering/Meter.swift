// SPDX-License-Identifier: Apache-2.0

/// Tracks the work and memory of one rendering against its limits.
///
/// Work is charged where it is done; cancellation and the deadline are checked there too. Memory is charged by the
/// objects that hold it (`MeteredObject`, `TextWriter`), which release the charge when they are freed.
///
/// Properties that change at every step, here and in the interpreter's other classes, are exempt from run-time
/// exclusivity checking, which took a third of the time. This is safe because a rendering runs on one thread, and no
/// access to these properties calls back.
final class Meter {
    /// Work is counted in ticks. One tick suffices to read a byte or to copy 16 bytes; this is the number of ticks in a
    /// step.
    static let ticksPerStep = 64

    /// The additional work that each byte of input allows, in ticks.
    static let ticksPerInputByte = 8

    let limits: TemplateLimits
    private let deadline: ContinuousClock.Instant?
    @exclusivity(unchecked) private var mostTicks: Int
    @exclusivity(unchecked) private var ticks = 0
    /// The number of ticks at which the limit, cancellation and the deadline are checked next.
    @exclusivity(unchecked) private var nextLook = 0
    @exclusivity(unchecked) private var allowedBytes: Int
    /// The memory held now, in bytes.
    @exclusivity(unchecked) private(set) var heldBytes = 0

    init(limits: TemplateLimits, deadline: ContinuousClock.Instant?) {
        self.limits = limits
        self.deadline = deadline
        mostTicks = min(max(limits.steps, 0), .max / 4 / Meter.ticksPerStep) * Meter.ticksPerStep
        allowedBytes = limits.memoryBytes
    }

    // MARK: Work

    /// Charges the work of one statement or expression.
    @inline(__always)
    func step() throws(TemplateError) {
        try work(Meter.ticksPerStep)
    }

    /// Charges work that is about to be done.
    @inline(__always)
    func work(_ amount: Int) throws(TemplateError) {
        let (sum, overflow) = ticks.addingReportingOverflow(amount)
        ticks = overflow || amount < 0 ? .max : sum
        if ticks >= nextLook { try look() }
    }

    @inline(never)
    private func look() throws(TemplateError) {
        guard ticks <= mostTicks else {
            throw TemplateError(.tooManySteps, "Rendering takes more than \(limits.steps) steps.")
        }
        nextLook = min(ticks + 1024 * Meter.ticksPerStep, mostTicks + 1)
        guard !Task.isCancelled else { throw TemplateError(.cancelled, "Rendering was cancelled.") }
        if let deadline, ContinuousClock.now >= deadline {
            throw TemplateError(.timedOut, "Rendering went on past its deadline.")
        }
    }

    // MARK: Memory

    /// Raises the limits of memory and work for input of this size.
    func allow(inputBytes: Int) {
        let (sum, overflow) = allowedBytes.addingReportingOverflow(2 * inputBytes)
        allowedBytes = overflow ? .max : sum
        mostTicks += min(Meter.ticksPerInputByte * inputBytes, .max / 2 - mostTicks)
    }

    /// Charges memory before it is allocated; `release` undoes this.
    func reserve(_ bytes: Int) throws(TemplateError) {
        guard bytes >= 0, bytes <= allowedBytes - heldBytes else {
            throw TemplateError(
                .valueTooLarge, "The values of this rendering exceed \(limits.memoryBytes) bytes of memory.")
        }
        try work(32 + bytes >> 4)
        heldBytes += bytes
    }

    func release(_ bytes: Int) {
        heldBytes -= bytes
    }

    // MARK: Objects that can come to contain themselves

    @exclusivity(unchecked) fileprivate unowned(unsafe) var firstObject: MutableObject?
    @exclusivity(unchecked) private var isDissolving = false
    @exclusivity(unchecked) private var graves: [Any] = []

    /// Empties all objects that may be part of a reference cycle.
    func emptyObjects() {
        while let object = firstObject {
            object.unlink()
            object.empty()
        }
    }

    /// Releases the contents of an object. Long chains of objects are released iteratively, because recursion would
    /// exhaust the stack.
    func dissolve<Contents>(_ contents: inout Contents, leaving rest: Contents) {
        bury(&contents, rest)
        guard !isDissolving else { return }
        isDissolving = true
        while !graves.isEmpty { releaseLast() }
        isDissolving = false
    }

    /// Not inlined, like the next one, because values that a function releases are freed when it returns.
    @inline(never)
    private func bury<Contents>(_ contents: inout Contents, _ rest: Contents) {
        graves.append(contents)
        contents = rest
    }

    @inline(never)
    private func releaseLast() {
        graves.removeLast()
    }
}

/// An object of a rendering whose memory is charged as long as it lives.
class MeteredObject {
    let meter: Meter
    @exclusivity(unchecked) private var bytes: Int

    init(_ meter: Meter, bytes: Int) throws(TemplateError) {
        try meter.reserve(bytes)
        self.meter = meter
        self.bytes = bytes
    }

    /// Makes an object that takes over the contents and the charge of another.
    init(_ meter: Meter, bytes: Int, takingOver other: MeteredObject) throws(TemplateError) {
        try meter.reserve(bytes)
        self.meter = meter
        self.bytes = bytes + other.bytes
        other.bytes = 0
    }

    deinit {
        meter.release(bytes)
    }

    /// Charges more memory.
    final func hold(_ more: Int) throws(TemplateError) {
        try meter.reserve(more)
        bytes += more
    }

    /// Releases part of the charge.
    final func drop(_ fewer: Int) {
        meter.release(fewer)
        bytes -= fewer
    }
}

/// An object whose contents may change during rendering, so that it may become part of a reference cycle. The meter
/// keeps a list of these objects and empties them when rendering ends.
class MutableObject: MeteredObject {
    @exclusivity(unchecked) private unowned(unsafe) var previous: MutableObject?
    @exclusivity(unchecked) private unowned(unsafe) var next: MutableObject?
    @exclusivity(unchecked) private var isLinked = false

    override init(_ meter: Meter, bytes: Int) throws(TemplateError) {
        try super.init(meter, bytes: bytes)
        next = meter.firstObject
        next?.previous = self
        meter.firstObject = self
        isLinked = true
    }

    deinit {
        unlink()
    }

    /// Releases the contents.
    func empty() {}

    fileprivate final func unlink() {
        guard isLinked else { return }
        isLinked = false
        if let previous { previous.next = next } else { meter.firstObject = next }
        next?.previous = previous
        previous = nil
        next = nil
    }
}
