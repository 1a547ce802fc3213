// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A short message to the user about the chat itself.
public struct ScreenNotice: Hashable, Sendable, Identifiable, Codable {
    /// How a notice is shown.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// An error, shown for five seconds.
        case error
        /// A remark, shown for a second and a half.
        case toast

        /// How long a notice is shown.
        var time: Duration { self == .error ? .seconds(5) : .milliseconds(1500) }
    }

    /// Its number; later notices have larger ones.
    public var id: Int
    /// How it is shown.
    public var kind: Kind
    /// The text.
    public var text: String
    /// When it appeared.
    public var date: Date
}

/// The notices of a chat: at most one of each kind is shown, and all stay in a list.
struct NoticeBoard: Sendable {
    /// The largest number of notices in the list.
    static let limit = 100

    /// The notices, oldest first.
    private(set) var all: [ScreenNotice] = []
    private var shown: [ScreenNotice.Kind: ScreenNotice.ID] = [:]
    /// Notices whose time is over, but which wait because the user looks at them.
    private var overdue: Set<ScreenNotice.ID> = []
    private var count = 0
    /// Whether the user looks at the notices, with the pointer or the focus; none disappears meanwhile.
    var isHeld = false {
        didSet {
            guard !isHeld else { return }
            for id in overdue { hide(id) }
            overdue = []
        }
    }

    /// The text of the notice of a kind that is shown.
    subscript(kind: ScreenNotice.Kind) -> String? { shown[kind].flatMap { id in all.last { $0.id == id } }?.text }

    /// Shows a notice in place of an earlier one of its kind, and returns it.
    mutating func show(_ kind: ScreenNotice.Kind, _ text: String, at date: Date) -> ScreenNotice {
        count += 1
        let notice = ScreenNotice(id: count, kind: kind, text: text, date: date)
        all.append(notice)
        if all.count > Self.limit { all.removeFirst() }
        shown[kind] = notice.id
        return notice
    }

    /// The time of a notice is over.
    mutating func expire(_ id: ScreenNotice.ID) {
        if isHeld { overdue.insert(id) } else { hide(id) }
    }

    /// Hides the notice of a kind now.
    mutating func dismiss(_ kind: ScreenNotice.Kind) { shown[kind] = nil }

    private mutating func hide(_ id: ScreenNotice.ID) {
        for (kind, shownID) in shown where shownID == id { shown[kind] = nil }
    }
}
