// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFAudio)
    import AVFAudio

    /// The app's audio session, without which iOS neither records nor plays over the ring switch; on macOS there is none.
    ///
    /// What an app has chosen itself stays, as far as it allows what is wanted. The session stays active afterwards, because
    /// other sound may be playing; an app gives it back when it needs it no more.
    package enum AppAudioSession {
        /// Allows recording, beside what is played.
        ///
        /// - Throws: the system's error, for example while a call goes on.
        package static func prepareToRecord() throws {
            #if os(iOS)
                let session = AVAudioSession.sharedInstance()
                switch session.category {
                case .playAndRecord, .record, .multiRoute: break
                default: try allowBoth(session)
                }
                try session.setActive(true)
            #endif
        }

        /// Allows playing aloud.
        ///
        /// - Throws: the system's error, for example while a call goes on.
        package static func prepareToPlay() throws {
            #if os(iOS)
                let session = AVAudioSession.sharedInstance()
                switch session.category {
                case .soloAmbient: try session.setCategory(.playback, mode: .spokenAudio)
                case .record: try allowBoth(session)
                default: break
                }
                try session.setActive(true)
            #endif
        }

        #if os(iOS)
            /// Without the options, what is played would come from the receiver that is held to the ear.
            private static func allowBoth(_ session: AVAudioSession) throws {
                try session.setCategory(
                    .playAndRecord, mode: .default, options: [.defaultToSpeaker, .allowBluetoothA2DP])
            }
        #endif
    }
#endif
