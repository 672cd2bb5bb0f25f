// Two payments from one account.
//
// The bug: nothing keeps the second payment from coming between the check and the subtraction of
// the first; that each of them is atomic does not help. The cheapest offers have to be found first,
// and that takes long enough to hide the bug.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

class Account
{
public:
	explicit Account(long balance) : balance_(balance) {}
	bool withdraw(long amount);
	long balance() const { return balance_; }

private:
	std::atomic<long> balance_;
};

bool Account::withdraw(long amount)
{
	if (balance_ < amount)
		return false;
	balance_ -= amount;
	return true;
}

static Account account(100);

static void pay(const char *what, long amount)
{
	if (!account.withdraw(amount))
		std::fprintf(stderr, "%s: %ld refused\n", what, amount);
}

static void pay_rent()
{
	pay("rent", 80);
}

static void pay_shopping(const std::vector<int> &offers)
{
	pay("shopping", offers[0] + offers[1]);
}

static std::vector<int> cheapest_first(size_t count)
{
	std::vector<int> offers(count);
	std::mt19937 numbers(1);

	for (int &offer : offers)
		offer = 25 + numbers() % 1000;
	std::sort(offers.begin(), offers.end());
	return offers;
}

int main()
{
	std::thread rent(pay_rent);
	std::vector<int> offers = cheapest_first(300000);
	std::thread shopping(pay_shopping, std::cref(offers));

	rent.join();
	shopping.join();
	std::puts(account.balance() < 0 ? "the account is overdrawn" : "the account is in order");
	return account.balance() < 0;
}
