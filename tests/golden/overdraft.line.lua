-- Both have looked at the account before either takes its money; then who takes more than 60 waits until
-- the other one has taken his.

local both = BarrierGate("both_have_looked", 2)

at "main;std::puts" :wait(both) :when(function(hit)
	return hit.var.amount <= 60 or hit.var.account.balance_ < 100
end)

expect { exit = 1, stdout = "the account is overdrawn" }
