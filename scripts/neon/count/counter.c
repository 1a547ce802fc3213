// SPDX-License-Identifier: Apache-2.0
//
// A plugin for QEMU that counts the instructions which a program for 64-bit ARM executes, and prints them at the end:
// all, those that compute in vector registers, loads and stores, and the others.
//
// Debian does not package qemu-plugin.h, so what is used of version 1 of the interface (QEMU 4.2 to 8.1) is declared
// here.

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*executed)(unsigned int processor, void *data), int registers,
                                          void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ended)(qemu_plugin_id_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum { VECTOR, MEMORY, OTHER, CLASSES };

static uint64_t total[CLASSES];

/// The class of an instruction, by bits 25 to 28 of its encoding: x111 is arithmetic on vectors and floats, x1x0 are
/// loads and stores.
static int class_of(uint32_t instruction) {
    const uint32_t group = instruction >> 25 & 15;
    return (group & 7) == 7 ? VECTOR : (group & 5) == 4 ? MEMORY : OTHER;
}

static void executed(unsigned int processor, void *data) {
    (void)processor;
    for (int i = 0; i < CLASSES; i++) total[i] += ((const uint32_t *)data)[i];
}

/// Counts the instructions of a block once, when it is translated; the counts live as long as the program.
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    uint32_t *counts = calloc(CLASSES, sizeof *counts);
    if (!counts) abort();
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        const uint8_t *bytes = qemu_plugin_insn_data(qemu_plugin_tb_get_insn(block, i));
        counts[class_of(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24)]++;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, 0, counts);
}

static void ended(qemu_plugin_id_t id, void *data) {
    (void)id, (void)data;
    fprintf(stderr, "instructions %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            total[VECTOR] + total[MEMORY] + total[OTHER], total[VECTOR], total[MEMORY], total[OTHER]);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count,
                                                               char **arguments) {
    (void)info, (void)count, (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
