// SPDX-License-Identifier: Apache-2.0

public import ParleyModels

/// The progress of loading a model.
public enum LoadingProgress: Sendable {
    /// It is being downloaded, because it is not on this machine yet.
    case fetching(FetchEvent)
    /// The engine has been chosen.
    case chosen(EngineChoice)
    /// Its weights are being loaded: the fraction that is done, from 0 to 1.
    case loading(Double)
}
