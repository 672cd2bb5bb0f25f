-- Who pays more than 60 waits before it takes the money until somebody else has taken some.

at "Account::withdraw;balance_ -= amount" :when(function(hit)
	return hit.var.amount <= 60 or hit.var.account.balance_ < 100
end)

expect { exit = 1, stdout = "the account is overdrawn" }
