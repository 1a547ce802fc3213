// SPDX-License-Identifier: Apache-2.0
// Linked into the tests for what happens when they are started; see CTestParallelism.c.
