# Posts and waits that no single token sets right: nothing is proposed.
        sync.load wait(run.0) post(array.0)
        sync.array wait(load.0) post(load.0)
        halt
# expected:
