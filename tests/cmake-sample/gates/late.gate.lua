-- The right order.
order "worker1%return -> calc.c:16"

expect { exit = 0, stdout = "42\n" }
