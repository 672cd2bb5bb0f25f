order "close_pool%return -> work;*item = current"

expect { signal = "SIGSEGV" }
