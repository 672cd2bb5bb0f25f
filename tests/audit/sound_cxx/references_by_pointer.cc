/* The object of another one, by pointer, reference and smart pointer. */
#include <memory>
#include <mutex>

struct State {
	std::mutex mutex;
	int value = 0;
};

class View {
public:
	View(State *state, std::shared_ptr<State> owned, State &other)
		: state_(state), owned_(std::move(owned)), other_(other)
	{
	}

	void set(int value)
	{
		std::lock_guard<std::mutex> guard(state_->mutex);
		state_->value = value;
	}

	void set_owned(int value)
	{
		std::lock_guard<std::mutex> guard(owned_->mutex);
		owned_->value = value;
	}

	int get() const
	{
		State &state = other_;
		std::lock_guard<std::mutex> guard(state.mutex);
		return state.value;
	}

private:
	State *state_;
	std::shared_ptr<State> owned_;
	State &other_;
};

std::shared_ptr<State> make_state()
{
	auto state = std::make_shared<State>();
	state->value = 3;
	return state;
}
