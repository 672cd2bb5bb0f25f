-- The queue is closed "after an unspecified time": when the worker is already waiting for a job.
-- [idle] means: a thread has come to that line and is now blocked in the kernel.

at "queue_take;pthread_cond_wait"   :event "idle"
at "queue_put;pthread_mutex_lock" :event "close"

order "[idle] -> close"

expect { signal = "SIGABRT", stderr = "q->count > 0" }
