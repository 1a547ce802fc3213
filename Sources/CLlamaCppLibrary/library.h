// SPDX-License-Identifier: Apache-2.0
// This target gives the flags to compile and link with; what is in the libraries is declared by their own headers.
