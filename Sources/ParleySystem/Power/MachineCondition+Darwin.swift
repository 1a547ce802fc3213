// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Foundation

    #if os(macOS)
        import IOKit.ps
    #endif

    extension MachineCondition {
        /// Asks the system.
        ///
        /// Only macOS says on every thread what it runs on; elsewhere the low-power mode stands for a battery that has
        /// little left.
        package static func current() -> MachineCondition {
            let process = ProcessInfo.processInfo
            return MachineCondition(
                isOnBattery: runsOnBattery(), savesEnergy: process.isLowPowerModeEnabled,
                heat: Heat(process.thermalState))
        }

        private static func runsOnBattery() -> Bool {
            #if os(macOS)
                let sources = IOPSCopyPowerSourcesInfo()?.takeRetainedValue()
                let source = IOPSGetProvidingPowerSourceType(sources)?.takeUnretainedValue()
                return source as String? == kIOPSBatteryPowerValue
            #else
                return false
            #endif
        }
    }

    extension MachineCondition.Heat {
        fileprivate init(_ state: ProcessInfo.ThermalState) {
            switch state {
            case .nominal: self = .nominal
            case .fair: self = .fair
            case .serious: self = .serious
            case .critical: self = .critical
            @unknown default: self = .nominal
            }
        }
    }
#endif
