// SPDX-License-Identifier: Apache-2.0

/// An array whose memory is charged: the storage of lists, and of intermediate results.
final class Row<Element>: MeteredObject {
    @exclusivity(unchecked) private(set) var elements: [Element] = []
    @exclusivity(unchecked) private var capacity = 0

    /// The cost in ticks of storing an element and releasing it later.
    private static var priceOfElement: Int { 8 }

    /// Makes an empty row with room for some elements.
    init(_ meter: Meter, room: Int = 0) throws(TemplateError) {
        try super.init(meter, bytes: 96)
        if room > 0 { try makeRoom(room) }
    }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }

    func append(_ element: Element) throws(TemplateError) {
        try meter.work(Row.priceOfElement)
        if elements.count == capacity { try makeRoom(1) }
        elements.append(element)
    }

    func append(contentsOf others: some Collection<Element>) throws(TemplateError) {
        try makeRoom(others.count)
        try meter.work(Row.priceOfElement * others.count)
        elements.append(contentsOf: others)
    }

    func append(_ element: Element, times: Int) throws(TemplateError) {
        try makeRoom(times)
        try meter.work(Row.priceOfElement * times)
        elements.append(contentsOf: repeatElement(element, count: times))
    }

    private func makeRoom(_ more: Int) throws(TemplateError) {
        let (needed, overflow) = elements.count.addingReportingOverflow(more)
        guard needed > capacity || overflow else { return }
        let grown = overflow ? Int.max : max(needed, 2 * capacity, 4)
        let stride = MemoryLayout<Element>.stride
        let (bytes, isTooLarge) = grown.multipliedReportingOverflow(by: stride)
        try hold(isTooLarge ? .max : bytes)
        elements.reserveCapacity(grown)
        drop(capacity * stride)
        capacity = grown
    }
}
