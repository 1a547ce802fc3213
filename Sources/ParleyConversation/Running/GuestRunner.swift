// SPDX-License-Identifier: Apache-2.0

/// A runner that replies in a conversation which was created with another one.
///
/// An object is not kept alive, so that a conversation does not hold the memory of a second model. Values are the same if
/// their type and model are.
struct GuestRunner: Sendable, Equatable {
    private enum Identity: Equatable {
        case object(ObjectIdentifier)
        case value(ObjectIdentifier, modelID: String)
    }

    private let identity: Identity
    private weak var object: (any ModelRunner & AnyObject)?
    private let value: (any ModelRunner)?

    init(_ runner: any ModelRunner) {
        if type(of: runner) is AnyObject.Type, let object = runner as? any ModelRunner & AnyObject {
            identity = .object(ObjectIdentifier(object))
            self.object = object
            value = nil
        } else {
            identity = .value(ObjectIdentifier(type(of: runner)), modelID: runner.modelID)
            value = runner
        }
    }

    /// The runner; nil for an object that no longer exists.
    var runner: (any ModelRunner)? { object ?? value }

    static func == (left: GuestRunner, right: GuestRunner) -> Bool { left.identity == right.identity }
}
