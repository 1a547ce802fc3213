// SPDX-License-Identifier: Apache-2.0

/// What happens while a model is fetched.
///
/// Order: perhaps `waiting`; then for each source that is tried `started`, any number of `received`, and either
/// `failed` or `verifying`.
public enum FetchEvent: Sendable {
    /// Another process is fetching the same model.
    case waiting
    /// A source is being asked.
    case started(ModelSource)
    /// So many bytes of so many have come.
    case received(bytes: Int64, of: Int64)
    /// A source did not deliver, and the next one follows, if there is one.
    case failed(ModelSource, ModelStoreError, next: ModelSource?)
    /// Everything has come and is being checked.
    case verifying
}
