/* For targets written as top-level assembly: functions and labels that nm shows. */
#ifndef GATECTL_TESTS_INSN_H
#define GATECTL_TESTS_INSN_H

#define FUNC(name)  ".text\n.globl " name "\n.type " name ", @function\n" name ":\n"
#define LABEL(name) ".globl " name "\n" name ":\n"

#endif
