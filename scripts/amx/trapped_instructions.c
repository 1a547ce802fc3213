// SPDX-License-Identifier: Apache-2.0
//
// Executes tile instructions when the processor traps because it does not know them. So what is checked is the code
// that the compiler made for a processor with AMX: its operands, its addresses, and the memory when it executes.

#define _GNU_SOURCE

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "emulated_tiles.h"

/// An instruction with a VEX prefix of three bytes (Intel's manual, volume 2, 2.3).
typedef struct {
    uint8_t prefix;     // 0 for none, 1 for 66, 2 for F3, 3 for F2
    uint8_t opcode;     // after 0F 38
    int third;          // the register in the prefix
    int mode, reg, rm;  // of the ModRM byte
    uint64_t base;      // the address without the index
    uint64_t index;     // scaled
    uint64_t length;    // in bytes
} instruction;

static size_t executed;

static uint64_t register_value(const ucontext_t *context, int number) {
    static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return (uint64_t)context->uc_mcontext.gregs[registers[number]];
}

static instruction decoded(const ucontext_t *context) {
    const uint8_t *start = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP], *next = start + 5;
    require(start[0] == 0xc4 && (start[1] & 31) == 2 && (start[2] & 0x84) == 0, "an unknown instruction");
    const int reg_high = start[1] & 0x80 ? 0 : 8, index_high = start[1] & 0x40 ? 0 : 8;
    const int base_high = start[1] & 0x20 ? 0 : 8;
    instruction i = {
        .prefix = start[2] & 3, .opcode = start[3], .third = ~(start[2] >> 3) & 15, .mode = start[4] >> 6,
        .reg = (start[4] >> 3 & 7) + reg_high, .rm = start[4] & 7,
    };
    if (i.mode != 3) {
        int base = i.rm;
        if (i.rm == 4) {
            const uint8_t sib = *next++;
            const int index = (sib >> 3 & 7) + index_high;
            base = sib & 7;
            if (index != 4) i.index = register_value(context, index) << (sib >> 6);
        }
        require(base != 5 || i.mode != 0, "an address without a base");
        i.base = register_value(context, base + base_high);
        if (i.mode == 1) i.base += (uint64_t)(int64_t)(int8_t)*next++;
        if (i.mode == 2) {
            int32_t offset;
            memcpy(&offset, next, sizeof offset);
            i.base += (uint64_t)(int64_t)offset;
            next += sizeof offset;
        }
    } else {
        i.rm += base_high;
    }
    i.length = (uint64_t)(next - start);
    return i;
}

static void execute(int signal, siginfo_t *info, void *interrupted) {
    (void)signal, (void)info;
    ucontext_t *context = interrupted;
    const instruction i = decoded(context);
    const bool is_memory = i.mode != 3;
    if (i.opcode == 0x49 && i.prefix == 0 && is_memory && i.reg == 0) {
        emulated_ldtilecfg((const uint8_t *)(i.base + i.index));
    } else if (i.opcode == 0x49 && i.prefix == 0 && !is_memory && i.reg == 0 && i.rm == 0) {
        emulated_tilerelease();
    } else if (i.opcode == 0x49 && i.prefix == 3 && !is_memory && i.rm == 0) {
        emulated_tilezero(i.reg);
    } else if (i.opcode == 0x4b && i.prefix == 3 && is_memory) {
        emulated_tileloadd(i.reg, (const uint8_t *)i.base, (ptrdiff_t)i.index);
    } else if (i.opcode == 0x4b && i.prefix == 2 && is_memory) {
        emulated_tilestored(i.reg, (uint8_t *)i.base, (ptrdiff_t)i.index);
    } else if (i.opcode == 0x5e && i.prefix == 3 && !is_memory) {
        emulated_tdpbssd(i.reg, i.rm, i.third);
    } else if (i.opcode == 0x5e && i.prefix == 2 && !is_memory) {
        emulated_tdpbsud(i.reg, i.rm, i.third);
    } else {
        require(false, "an unknown instruction");
    }
    context->uc_mcontext.gregs[REG_RIP] += (greg_t)i.length;
    executed++;
}

void emulate_tiles(void) {
    struct sigaction action = {.sa_sigaction = execute, .sa_flags = SA_SIGINFO};
    require(sigaction(SIGILL, &action, NULL) == 0, "no signal");
}

size_t emulated_instructions(void) { return executed; }
