/* A thermometer, whose struct only its module knows. */
#ifndef OPAQUE_HEADER_H
#define OPAQUE_HEADER_H

struct thermometer;

struct thermometer *thermometer_new(void);
void thermometer_read(struct thermometer *thermometer, int degrees);
int thermometer_highest(struct thermometer *thermometer);

#endif
