/* Rooms of a hotel come locked from the function that finds them; who moves out asks for one to read, and writes. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct room {
	pthread_rwlock_t lock;
	struct room *next;
	int number, guests;
};

struct hotel {
	pthread_rwlock_t lock;
	struct room *rooms;
};

static struct room *room_find(struct hotel *hotel, int number, bool writes)
{
	struct room *room;

	pthread_rwlock_rdlock(&hotel->lock);
	for (room = hotel->rooms; room && room->number != number;)
		room = room->next;
	if (!room) {
		pthread_rwlock_unlock(&hotel->lock);
		return NULL;
	}
	if (writes)
		pthread_rwlock_wrlock(&room->lock);
	else
		pthread_rwlock_rdlock(&room->lock);
	pthread_rwlock_unlock(&hotel->lock);
	return room;
}

int room_guests(struct hotel *hotel, int number)
{
	struct room *room = room_find(hotel, number, false);
	int guests;

	if (!room)
		return -1;
	guests = room->guests;
	pthread_rwlock_unlock(&room->lock);
	return guests;
}

bool room_enter(struct hotel *hotel, int number)
{
	struct room *room = room_find(hotel, number, true);

	if (!room)
		return false;
	room->guests++;
	pthread_rwlock_unlock(&room->lock);
	return true;
}

void room_leave(struct hotel *hotel, int number)
{
	struct room *room = room_find(hotel, number, false);

	if (!room)
		return;
	room->guests = 0; /* finding: P3 guests */
	pthread_rwlock_unlock(&room->lock);
}
