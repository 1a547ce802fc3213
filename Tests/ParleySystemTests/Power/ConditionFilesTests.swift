// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("Condition files")
struct ConditionFilesTests {
    /// A machine, described by the contents of its system files.
    struct Machine: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var files: [String: String] = [:]
        var condition = MachineCondition()
    }

    private static func supply(_ name: String, _ values: [String: String]) -> [String: String] {
        device("/sys/class/power_supply/\(name)", values)
    }

    private static func battery(_ status: String, _ capacity: Int, name: String = "BAT0") -> [String: String] {
        supply(name, ["type": "Battery", "status": status, "capacity": "\(capacity)", "present": "1"])
    }

    private static func mains(_ online: Int) -> [String: String] {
        supply("AC", ["type": "Mains", "online": "\(online)"])
    }

    /// A zone with a temperature and limits of these types, in degrees.
    private static func zone(
        _ temperature: Int, _ trips: [(type: String, limit: Int)], name: String = "thermal_zone0"
    ) -> [String: String] {
        var values = ["type": "x86_pkg_temp", "mode": "enabled", "temp": "\(temperature * 1_000)"]
        for (number, trip) in trips.enumerated() {
            values["trip_point_\(number)_type"] = trip.type
            values["trip_point_\(number)_temp"] = "\(trip.limit * 1_000)"
        }
        return device("/sys/class/thermal/\(name)", values)
    }

    private static func cooling(_ type: String, _ state: Int) -> [String: String] {
        device("/sys/class/thermal/cooling_device0", ["type": type, "cur_state": "\(state)", "max_state": "10"])
    }

    private static func device(_ path: String, _ values: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: values.map { ("\(path)/\($0)", "\($1)\n") })
    }

    private static func all(_ files: [String: String]...) -> [String: String] {
        files.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    private static let usual: [(type: String, limit: Int)] = [("active", 50), ("passive", 85), ("critical", 100)]

    static let machines = [
        Machine(testDescription: "a server that tells nothing"),
        Machine(
            testDescription: "a laptop on mains", files: all(mains(1), battery("Charging", 40)),
            condition: .init(charge: 40)),
        Machine(
            testDescription: "a laptop on its battery", files: all(mains(0), battery("Discharging", 40)),
            condition: .init(isOnBattery: true, charge: 40)),
        Machine(
            testDescription: "a weak charger, which is still mains", files: all(mains(1), battery("Discharging", 40)),
            condition: .init(charge: 40)),
        Machine(
            testDescription: "two batteries, one of which is in use",
            files: all(battery("Discharging", 90), battery("Unknown", 10, name: "BAT1")),
            condition: .init(isOnBattery: true, charge: 50)),
        Machine(
            testDescription: "the battery of a mouse, and a bay without one",
            files: all(
                supply("mouse", ["type": "Battery", "status": "Discharging", "scope": "Device", "capacity": "9"]),
                supply("BAT1", ["type": "Battery", "status": "Discharging", "present": "0", "capacity": "0"]))),
        Machine(
            testDescription: "a profile that saves energy",
            files: ["/sys/firmware/acpi/platform_profile": "low-power\n"], condition: .init(savesEnergy: true)),
        Machine(
            testDescription: "another profile", files: ["/sys/firmware/acpi/platform_profile": "performance\n"]),
        Machine(testDescription: "79 of 85 degrees", files: zone(79, usual)),
        Machine(testDescription: "80 of 85 degrees", files: zone(80, usual), condition: .init(heat: .fair)),
        Machine(testDescription: "85 of 85 degrees", files: zone(85, usual), condition: .init(heat: .serious)),
        Machine(testDescription: "95 of 100 degrees", files: zone(95, usual), condition: .init(heat: .critical)),
        Machine(testDescription: "only an end, far", files: zone(84, [("critical", 100)])),
        Machine(
            testDescription: "only an end, less far", files: zone(85, [("critical", 100)]),
            condition: .init(heat: .fair)),
        Machine(
            testDescription: "only an end, near", files: zone(90, [("hot", 100)]), condition: .init(heat: .serious)),
        Machine(
            testDescription: "the hotter of two zones",
            files: all(zone(30, usual), zone(86, usual, name: "thermal_zone1")), condition: .init(heat: .serious)),
        Machine(
            testDescription: "a zone that is switched off",
            files: zone(99, usual).mapValues { $0 == "enabled\n" ? "disabled\n" : $0 }),
        Machine(
            testDescription: "a processor that is slowed down", files: all(zone(60, usual), cooling("Processor", 3)),
            condition: .init(heat: .serious)),
        Machine(
            testDescription: "a processor's frequency that is lowered", files: cooling("thermal-cpufreq-0", 1),
            condition: .init(heat: .serious)),
        Machine(testDescription: "a processor that is not slowed down", files: cooling("Processor", 0)),
        Machine(testDescription: "a fan that runs", files: cooling("Fan", 3)),
        Machine(
            testDescription: "files that make no sense",
            files: all(
                supply("BAT0", ["type": "Battery", "status": "", "capacity": "900"]),
                zone(300, usual), zone(90, [("passive", -274), ("critical", 0)], name: "thermal_zone1"),
                zone(90, [], name: "thermal_zone2"), ["/sys/class/thermal/thermal_zone3/temp": "hot\n"])),
    ]

    @Test("batteries, the profile and heat are told as the kernel tells them", arguments: machines)
    func reads(machine: Machine) throws {
        try withSystem(machine.files) { system in #expect(ConditionFiles(system).condition == machine.condition) }
    }
}
