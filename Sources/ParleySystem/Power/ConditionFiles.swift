// SPDX-License-Identifier: Apache-2.0

/// Reads what a Linux system runs on and how hot it is. What it does not tell counts as mains, and as cool.
package struct ConditionFiles {
    /// How far below a limit a machine counts as near it, in thousandths of a degree.
    private static let near = 5_000
    /// Temperatures outside of this range are those of sensors that do not work, and limits outside of it are not set.
    private static let plausible = 1_000...150_000

    private let files: SystemFiles

    /// Reads the condition from the given system's files.
    package init(_ files: SystemFiles) {
        self.files = files
    }

    /// The machine's condition now.
    package var condition: MachineCondition {
        let supplies = files.entries(of: "/sys/class/power_supply")
        let batteries = supplies.filter { files.line(of: "\($0)/type") == "Battery" && isOfMachine($0) }
        let hasMains = supplies.contains {
            files.line(of: "\($0)/type") == "Mains" && files.number(in: "\($0)/online") == 1
        }
        let charges = batteries.compactMap { files.number(in: "\($0)/capacity") }.filter { 0...100 ~= $0 }
        return MachineCondition(
            isOnBattery: !hasMains && batteries.contains { files.line(of: "\($0)/status") == "Discharging" },
            charge: charges.isEmpty ? nil : charges.reduce(0, +) / charges.count,
            savesEnergy: savesEnergy, heat: heat)
    }

    /// Whether a battery drives the machine, and not only a mouse or the like;
    /// see <https://docs.kernel.org/power/power_supply_class.html>.
    private func isOfMachine(_ battery: String) -> Bool {
        files.line(of: "\(battery)/scope") != "Device" && files.number(in: "\(battery)/present") != 0
    }

    /// Whether the platform's profile is one that saves energy, as desktops set it at the user's wish;
    /// see <https://docs.kernel.org/userspace-api/sysfs-platform_profile.html>.
    private var savesEnergy: Bool {
        ["low-power", "quiet"].contains(files.line(of: "/sys/firmware/acpi/platform_profile"))
    }

    /// The heat of the hottest zone; serious at least while the kernel lowers the frequency of processors because of it.
    ///
    /// A limit of the frequency alone is no sign of heat: it is also set where a machine is to do without its turbo.
    private var heat: MachineCondition.Heat {
        var hottest = MachineCondition.Heat.nominal
        for entry in files.entries(of: "/sys/class/thermal") {
            if let found = entry.contains("/cooling_device") ? throttling(by: entry) : heat(of: entry) {
                hottest = max(hottest, found)
            }
        }
        return hottest
    }

    /// Serious if a device that cools by slowing processors down does so; nil otherwise.
    private func throttling(by device: String) -> MachineCondition.Heat? {
        guard let type = files.line(of: "\(device)/type"), type == "Processor" || type.contains("cpufreq"),
            let state = files.number(in: "\(device)/cur_state"), state > 0
        else { return nil }
        return .serious
    }

    /// How near a zone is to its limits; nil if it is switched off or has none.
    ///
    /// See <https://docs.kernel.org/driver-api/thermal/sysfs-api.html>.
    private func heat(of zone: String) -> MachineCondition.Heat? {
        guard files.line(of: "\(zone)/mode") != "disabled",
            let temperature = files.number(in: "\(zone)/temp"), Self.plausible ~= temperature
        else { return nil }
        var (slowing, ending) = (Int.max, Int.max)
        for trip in 0..<16 {
            guard let type = files.line(of: "\(zone)/trip_point_\(trip)_type") else { break }
            guard let limit = files.number(in: "\(zone)/trip_point_\(trip)_temp"), Self.plausible ~= limit else {
                continue
            }
            switch type {
            case "passive": slowing = min(slowing, limit)
            case "hot", "critical": ending = min(ending, limit)
            default: break
            }
        }
        // Processors that slow down by themselves often have zones without such a limit.
        slowing = min(slowing, ending == .max ? .max : ending - 2 * Self.near)
        if temperature >= ending.subtracting(Self.near) { return .critical }
        if temperature >= slowing { return .serious }
        return temperature >= slowing.subtracting(Self.near) ? .fair : .nominal
    }
}

extension Int {
    /// The difference; a limit that is not set stays so.
    fileprivate func subtracting(_ distance: Int) -> Int { self == .max ? .max : self - distance }
}
