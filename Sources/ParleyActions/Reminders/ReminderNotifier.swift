// SPDX-License-Identifier: Apache-2.0

public import ParleyAssistant

/// Tells the user that a reminder is due: on the desktop, on the lock screen, in the terminal.
public protocol ReminderNotifier: Sendable {
    /// Shows a reminder now. What cannot be shown is not an error: there is nobody to whom it could be told.
    func tell(_ reminder: StoredReminder) async
}
