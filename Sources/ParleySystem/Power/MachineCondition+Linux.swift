// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    extension MachineCondition {
        /// Asks the kernel.
        package static func current() -> MachineCondition { ConditionFiles(SystemFiles()).condition }
    }
#endif
