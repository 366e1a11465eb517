kernel.elf: kernel.s inc/twice.inc
