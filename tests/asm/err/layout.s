        .equ    ENDS, end - 1
        .data
        .space  later
        .space  ENDS
        .space  -1
        .space  0x10000000
        .space  1, 2, 3
        .align  3
        .align  128
        .align  4, 4
        .space  "x"
        .equ    later, 4
end:
        halt
        .text
        .word   1
        .arg    x, in, u8[.]
;| layout.s:3:17: error[E0305]: 'later' is not defined above this line
;|     3 |         .space  later
;|       |                 ^~~~~
;|   help: its value is needed at once: move the definition up
;| layout.s:4:17: error[E0305]: the value of 'ENDS' is not known here
;|     4 |         .space  ENDS
;|       |                 ^~~~
;|   help: 'end' is not defined above this line
;| layout.s:5:17: error[E0504]: -1 bytes; expected 0..16777216 (the section holds at most 16777216)
;|     5 |         .space  -1
;|       |                 ^~
;| layout.s:6:17: error[E0504]: 268435456 bytes; expected 0..16777216 (the section holds at most 16777216)
;|     6 |         .space  0x10000000
;|       |                 ^~~~~~~~~~
;| layout.s:7:23: error[E0203]: .space takes no further value
;|     7 |         .space  1, 2, 3
;|       |                       ^
;|   help: form: .space bytes [, fill]
;| layout.s:8:17: error[E0504]: alignment 3; expected a power of two, 1..64
;|     8 |         .align  3
;|       |                 ^
;| layout.s:9:17: error[E0504]: alignment 128; expected a power of two, 1..64
;|     9 |         .align  128
;|       |                 ^~~
;| layout.s:10:20: error[E0203]: .align takes no further value
;|    10 |         .align  4, 4
;|       |                    ^
;|   help: form: .align bytes
;| layout.s:11:17: error[E0404]: expected a number, found a string
;|    11 |         .space  "x"
;|       |                 ^~~
;|   help: strings go into .ascii
;| layout.s:14:9: error[E0501]: instruction 'halt' in the section .data
;|    14 |         halt
;|       |         ^~~~
;|   help: put .text before it
;| layout.s:16:9: error[E0501]: '.word' in the section .text
;|    16 |         .word   1
;|       |         ^~~~~
;|   help: put .data before it
;| layout.s:17:27: error[E0305]: '.' means nothing here
;|    17 |         .arg    x, in, u8[.]
;|       |                           ^
;| 12 errors
