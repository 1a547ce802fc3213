// SPDX-License-Identifier: Apache-2.0

extension StoredEvent.ID: LosslessStringConvertible {
    /// The identifier in one word, as models and pages are given it: `calendar:personal/6f1c.ics`, and for one date of
    /// a recurring event its original start after a `#`.
    public var description: String {
        recurrence.map { "\(item.name)#\($0)" } ?? item.name
    }

    /// Reads an identifier; nil if the text is none.
    public init?(_ description: String) {
        let parts = description.split(separator: "#", maxSplits: 1)
        guard let name = parts.first, let item = StoreItem.ID(name: String(name)) else { return nil }
        self.init(item: item, recurrence: parts.count == 2 ? String(parts[1]) : nil)
    }
}

extension StoreItem.ID {
    /// The store and the path in one word, in which `#` and `%` of the path are escaped.
    public var name: String {
        "\(store):\(path.replacing("%", with: "%25").replacing("#", with: "%23"))"
    }

    /// Reads an identifier as ``name`` writes it; nil if the text is none.
    public init?(name: String) {
        let parts = name.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let path = parts[1].replacing("%23", with: "#").replacing("%25", with: "%")
        self.init(store: String(parts[0]), path: String(path))
    }
}
