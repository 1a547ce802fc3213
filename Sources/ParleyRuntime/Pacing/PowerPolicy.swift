// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// How much of a machine a model may use, for the sake of its battery, its heat and its noise.
///
/// Fewer threads take less power and more time. The tokens of a reply are the same with each policy.
public struct PowerPolicy: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    private enum Kind: String, CaseIterable {
        case automatic, performance, quiet
    }

    private let kind: Kind

    /// All threads while the machine is cool and on mains; fewer on a battery, and the fewer the hotter it is. The usual.
    public static let automatic = PowerPolicy(kind: .automatic)
    /// All threads always; the system alone sees to the heat.
    public static let performance = PowerPolicy(kind: .performance)
    /// Half of the threads at most.
    public static let quiet = PowerPolicy(kind: .quiet)

    /// All policies, the usual one first.
    public static var allCases: [PowerPolicy] { Kind.allCases.map(PowerPolicy.init(kind:)) }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// The policy of a name; nil for another name.
    public init?(rawValue: String) {
        guard let kind = Kind(rawValue: rawValue) else { return nil }
        self.kind = kind
    }

    /// The name, such as `quiet`.
    public var rawValue: String { kind.rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The batteries that count as nearly empty, in percent.
    private static let lowCharge = 20

    /// How much a step may use on a machine in a condition.
    ///
    /// - Parameters:
    ///   - condition: the machine's condition.
    ///   - all: what a step may use on a cool machine on mains.
    /// - Returns: one to four quarters of it. The rows are reduced with the threads, so that steps take no longer and
    ///   other replies, cancelling and the next look at the machine come as soon as with all threads.
    package func limits(in condition: MachineCondition, of all: StepLimits) -> StepLimits {
        let quarters =
            switch kind {
            case .performance: 4
            case .automatic: Self.quarters(in: condition)
            case .quiet: min(Self.quarters(in: condition), 2)
            }
        return StepLimits(
            threads: max((all.threads * quarters + 3) / 4, 1), rows: max((all.rows * quarters + 3) / 4, 1))
    }

    private static func quarters(in condition: MachineCondition) -> Int {
        let isLow = condition.isOnBattery && condition.charge.map { $0 <= lowCharge } ?? false
        switch condition.heat {
        case .critical: return 1
        case .serious: return 2
        case .nominal where !condition.isOnBattery && !condition.savesEnergy: return 4
        case .nominal, .fair: return isLow || condition.savesEnergy ? 2 : 3
        }
    }
}

/// What a step of a model may use.
package struct StepLimits: Sendable, Hashable {
    /// The threads that run it together.
    package var threads: Int
    /// The tokens that run through the network together.
    package var rows: Int

    /// Creates limits.
    package init(threads: Int, rows: Int) {
        self.threads = threads
        self.rows = rows
    }
}
