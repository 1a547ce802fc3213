// SPDX-License-Identifier: Apache-2.0

public import ParleyModels

/// How far the loading of a model is.
public enum LoadingProgress: Sendable {
    /// It is not on this machine: these files are going to be fetched.
    case missing(ModelManifest)
    /// It is being fetched.
    case fetching(InstallEvent)
    /// The engine has been chosen.
    case chosen(EngineChoice)
    /// Its weights are being loaded: the fraction that is done, from 0 to 1.
    case loading(Double)
}
