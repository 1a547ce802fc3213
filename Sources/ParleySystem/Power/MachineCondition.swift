// SPDX-License-Identifier: Apache-2.0

/// What a machine runs on, and how hot it is.
package struct MachineCondition: Sendable, Hashable {
    /// How near a machine is to the temperature at which it must slow down, in the steps of `ProcessInfo.ThermalState`.
    package enum Heat: String, Sendable, CaseIterable, Comparable {
        /// Far from it.
        case nominal
        /// Near it.
        case fair
        /// Hot: the system slows its processors down, or is about to.
        case serious
        /// Near the temperature at which the machine protects itself by switching off.
        case critical

        package static func < (one: Heat, other: Heat) -> Bool { one.order < other.order }

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Whether its battery is being discharged.
    package var isOnBattery: Bool
    /// How full its batteries are, in percent; nil without one, or if it is not known.
    package var charge: Int?
    /// Whether its user has asked it to save energy.
    package var savesEnergy: Bool
    /// How hot it is.
    package var heat: Heat

    /// Creates a condition; by default that of a cool machine on mains, of which nothing more is known.
    package init(
        isOnBattery: Bool = false, charge: Int? = nil, savesEnergy: Bool = false, heat: Heat = .nominal
    ) {
        self.isOnBattery = isOnBattery
        self.charge = charge
        self.savesEnergy = savesEnergy
        self.heat = heat
    }
}
