// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP
import ParleySpeech

extension SystemVoice {
    /// By these the programs that speak find the sound server, their data and their language; they get no others.
    private static let variables = [
        "PATH", "HOME", "LANG", "LC_ALL", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER", "PULSE_SINK",
        "PULSE_COOKIE", "PIPEWIRE_RUNTIME_DIR", "PIPEWIRE_REMOTE", "ALSA_CONFIG_PATH", "ALSA_CONFIG_DIR",
        "ESPEAK_DATA_PATH", "SPEECHD_ADDRESS",
    ]

    /// The voice of this machine.
    static func standard(environment: ProcessEnvironment = .process) -> SystemVoice {
        let pairs = variables.compactMap { name in environment[name].map { (name, $0) } }
        return SystemVoice(environment: Dictionary(uniqueKeysWithValues: pairs))
    }
}
