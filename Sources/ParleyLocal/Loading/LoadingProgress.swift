// SPDX-License-Identifier: Apache-2.0

public import ParleyModels

/// A stage in the loading of a model.
public enum LoadingProgress: Sendable {
    /// The model is not on this machine; these files will be downloaded.
    case missing(ModelManifest)
    /// The model is being downloaded.
    case fetching(InstallEvent)
    /// An engine has been chosen.
    case chosen(EngineChoice)
    /// The weights are being loaded; the fraction that is complete, from 0 to 1.
    case loading(Double)

    /// The part of the stage that is complete, from 0 to 1, for a bar: first the download's, then the loading's; nil where
    /// it is not known.
    public var fraction: Double? {
        switch self {
        case .fetching(let event): event.fraction
        case .loading(let fraction): fraction
        case .missing, .chosen: nil
        }
    }
}
