order "work%return -> close_pool"

expect { exit = 0, stdout = "two words: 42\n" }
