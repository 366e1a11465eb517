        .token  full = load -> array.0
        preload sp[s0] wait(laod.0)
        preload sp[s0] wait(full, ful)
        preload sp[s0] wait(run.0)
        preload sp[s0] wait(load.2)
        preload sp[s0] post(array.0)
        preload sp[s0] post(full)
        preload sp[s0] post(load.0, load.0)
        preload sp[s0] wait(load.0) wait(store.0)
        preload sp[s0] wait(full, load.0)
;| channels.s:2:29: error[E0207]: unknown channel or token 'laod.0'
;|     2 |         preload sp[s0] wait(laod.0)
;|       |                             ^~~~~~
;|   help: did you mean 'load.0' or 'load.1'?
;|   help: preload can wait for load.0, load.1, store.0, store.1, vector.0, vector.1
;| channels.s:3:35: error[E0207]: unknown channel or token 'ful'
;|     3 |         preload sp[s0] wait(full, ful)
;|       |                                   ^~~
;|   help: did you mean 'full'?
;|   help: preload can wait for load.0, load.1, store.0, store.1, vector.0, vector.1
;| channels.s:4:29: error[E0208]: preload can't wait for 'run.0'
;|     4 |         preload sp[s0] wait(run.0)
;|       |                             ^~~~~
;|   help: preload can wait for load.0, load.1, store.0, store.1, vector.0, vector.1
;| channels.s:5:29: error[E0207]: unknown channel or token 'load.2'
;|     5 |         preload sp[s0] wait(load.2)
;|       |                             ^~~~~~
;|   help: did you mean 'load.1' or 'load.0'?
;|   help: preload can wait for load.0, load.1, store.0, store.1, vector.0, vector.1
;| channels.s:6:29: error[E0208]: preload can't post 'array.0'
;|     6 |         preload sp[s0] post(array.0)
;|       |                             ^~~~~~~
;|   help: preload can post load.0, load.1, store.0, store.1, vector.0, vector.1
;| channels.s:7:29: error[E0208]: preload can't post 'full', which is load->array.0
;|     7 |         preload sp[s0] post(full)
;|       |                             ^~~~
;|   help: preload can post load.0, load.1, store.0, store.1, vector.0, vector.1
;| channels.s:8:37: error[E0205]: channel 'load.0' is given twice
;|     8 |         preload sp[s0] post(load.0, load.0)
;|       |                                     ^~~~~~
;| channels.s:9:37: error[E0205]: wait(...) is given twice
;|     9 |         preload sp[s0] wait(load.0) wait(store.0)
;|       |                                     ^~~~~~~~~~~~~
;|   help: one list holds all: wait(first, second)
;| channels.s:10:35: error[E0205]: channel 'load.0' is given twice
;|    10 |         preload sp[s0] wait(full, load.0)
;|       |                                   ^~~~~~
;| 9 errors
