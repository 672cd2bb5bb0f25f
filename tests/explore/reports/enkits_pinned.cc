// enkiTS issue 48: a task for one thread waits for ever. Needs enkiTS: 20e8b4e has the bug, d306902 the repair.
#include <TaskScheduler.h>

struct pinned_task : enki::IPinnedTask {
	pinned_task() : IPinnedTask(1)
	{
	}
	void Execute() override
	{
		done = true;
	}
	bool done = false;
};

int main()
{
	enki::TaskScheduler scheduler;
	pinned_task task;

	scheduler.Initialize(3);
	scheduler.AddPinnedTask(&task);
	scheduler.WaitforTask(&task);
	return task.done ? 0 : 1;
}
