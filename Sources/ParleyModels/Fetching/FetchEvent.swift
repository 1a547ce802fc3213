// SPDX-License-Identifier: Apache-2.0

/// What happens while a model is fetched.
///
/// Order, for each of its files that is not here: perhaps `waiting`; then for each source that is tried `started`,
/// perhaps `resumed`, any number of `received` and `retrying`, and either `failed` or `verifying`.
public enum FetchEvent: Sendable {
    /// Another process is fetching the same model, or a file of it.
    case waiting(for: String)
    /// A source is being asked.
    case started(ModelSource)
    /// So many bytes of the model are here from an earlier attempt and need not come again.
    case resumed(bytes: Int64)
    /// So many bytes of so many are here; the whole is 0 where no server has told it.
    case received(bytes: Int64, of: Int64)
    /// A source failed and is asked again after a wait.
    case retrying(ModelSource, ModelStoreError, in: Duration)
    /// A source did not deliver, and the next one follows, if there is one.
    case failed(ModelSource, ModelStoreError, next: ModelSource?)
    /// Everything of a file has come and is being checked.
    case verifying
}
