// SPDX-License-Identifier: Apache-2.0

#if canImport(UserNotifications)
    public import Foundation
    public import ParleyAssistant
    import UserNotifications

    /// Tells of reminders with notifications of the system.
    ///
    /// Reminders of ``SystemReminders`` need no such notification, since the system tells of them itself; those that are
    /// files do. ``schedule(_:)`` gives alarms to the system in advance, so that they come also if the app is not
    /// running then.
    ///
    /// Not compiled or run by this project's tests, which run on Linux.
    public struct UserNotifier: ReminderNotifier {
        /// The number of notifications of one app that the system keeps.
        private static let most = 64
        private static let prefix = "parley-reminder:"

        /// Creates a notifier.
        public init() {}

        /// Asks the user whether notifications may be shown, if that was not done before.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable` if they may not, or for a program that is not an
        ///   app.
        public func requestAccess() async throws {
            guard let center = Self.center else {
                throw AssistantError(.storeUnavailable, "Only an app can show notifications; this program is not one.")
            }
            let isGranted = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                center.requestAuthorization(options: [.alert, .sound]) { @Sendable isGranted, _ in
                    continuation.resume(returning: isGranted)
                }
            }
            guard isGranted else {
                throw AssistantError(
                    .storeUnavailable, "This app may not show notifications. Allow them in the system's settings.")
            }
        }

        /// Shows a reminder now.
        public func tell(_ reminder: StoredReminder) async { await add(reminder, at: nil) }

        /// Replaces what was scheduled by these alarms; of more than 64, the first ones count.
        ///
        /// - Parameters:
        ///   - alarms: Alarms, such as ``ReminderItems/alarms(in:)`` finds.
        ///   - now: The present time; earlier alarms are left out.
        public func schedule(_ alarms: [ReminderAlarm], now: Date = Date()) async {
            guard let center = Self.center else { return }
            let old = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
                center.getPendingNotificationRequests { @Sendable requests in
                    continuation.resume(returning: requests.map(\.identifier).filter { $0.hasPrefix(Self.prefix) })
                }
            }
            center.removePendingNotificationRequests(withIdentifiers: old)
            let next = alarms.filter { $0.time > now }.sorted { $0.time < $1.time }.prefix(Self.most)
            for alarm in next { await add(alarm.reminder, at: alarm.time) }
        }

        private func add(_ reminder: StoredReminder, at time: Date?) async {
            guard let center = Self.center else { return }
            let content = UNMutableNotificationContent()
            content.title = reminder.title
            if let body = reminder.body { content.body = body }
            content.sound = .default
            var trigger: UNCalendarNotificationTrigger?
            var moment = ""
            if let time {
                // The calendar is part of the date, so that it is the same date whatever calendar the user has.
                let calendar = Calendar(identifier: .gregorian)
                var parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: time)
                parts.calendar = calendar
                trigger = UNCalendarNotificationTrigger(dateMatching: parts, repeats: false)
                moment = "@\(Int(time.timeIntervalSince1970))"
            }
            let request = UNNotificationRequest(
                identifier: Self.prefix + reminder.id.description + moment, content: content, trigger: trigger)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                center.add(request) { @Sendable _ in continuation.resume() }
            }
        }

        /// The system's center; it ends a process that is not an app.
        private static var center: UNUserNotificationCenter? {
            Bundle.main.bundleIdentifier == nil ? nil : UNUserNotificationCenter.current()
        }
    }
#endif
