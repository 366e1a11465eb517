        li      t0, -----------------------------------------------------------------------------------------------------1
        .equ    C0, C1 + 1
        .equ    C1, C2 + 1
        .equ    C2, C3 + 1
        .equ    C3, C4 + 1
        .equ    C4, C5 + 1
        .equ    C5, C6 + 1
        .equ    C6, C7 + 1
        .equ    C7, C8 + 1
        .equ    C8, C9 + 1
        .equ    C9, C10 + 1
        .equ    C10, C11 + 1
        .equ    C11, C12 + 1
        .equ    C12, C13 + 1
        .equ    C13, C14 + 1
        .equ    C14, C15 + 1
        .equ    C15, C16 + 1
        .equ    C16, C17 + 1
        .equ    C17, C18 + 1
        .equ    C18, C19 + 1
        .equ    C19, C20 + 1
        .equ    C20, C21 + 1
        .equ    C21, C22 + 1
        .equ    C22, C23 + 1
        .equ    C23, C24 + 1
        .equ    C24, C25 + 1
        .equ    C25, C26 + 1
        .equ    C26, C27 + 1
        .equ    C27, C28 + 1
        .equ    C28, C29 + 1
        .equ    C29, C30 + 1
        .equ    C30, C31 + 1
        .equ    C31, C32 + 1
        .equ    C32, C33 + 1
        .equ    C33, C34 + 1
        .equ    C34, C35 + 1
        .equ    C35, C36 + 1
        .equ    C36, C37 + 1
        .equ    C37, C38 + 1
        .equ    C38, C39 + 1
        .equ    C39, C40 + 1
        .equ    C40, C41 + 1
        .equ    C41, C42 + 1
        .equ    C42, C43 + 1
        .equ    C43, C44 + 1
        .equ    C44, C45 + 1
        .equ    C45, C46 + 1
        .equ    C46, C47 + 1
        .equ    C47, C48 + 1
        .equ    C48, C49 + 1
        .equ    C49, C50 + 1
        .equ    C50, C51 + 1
        .equ    C51, C52 + 1
        .equ    C52, C53 + 1
        .equ    C53, C54 + 1
        .equ    C54, C55 + 1
        .equ    C55, C56 + 1
        .equ    C56, C57 + 1
        .equ    C57, C58 + 1
        .equ    C58, C59 + 1
        .equ    C59, C60 + 1
        .equ    C60, 1
;| nesting.s:1:122: error[E0105]: expression nested more than 100 levels deep
;|     1 | ...      li      t0, -----------------------------------------------------------------------------------------------------1
;|       |                                                                                                                           ^
;|   help: split it with .equ
;| nesting.s:52:22: error[E0105]: expression nested more than 100 levels deep
;|    52 |         .equ    C50, C51 + 1
;|       |                      ^~~~~~~
;|   help: split it with .equ
;| 2 errors
