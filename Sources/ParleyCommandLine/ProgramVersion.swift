// SPDX-License-Identifier: Apache-2.0

/// The version of both programs, which fingerprints of replies name too.
package let programVersion = "0.1.0"
