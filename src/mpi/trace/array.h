#pragma once
/* Arrays that grow. */

#include <stdlib.h>

#define ARRAY(type, name) \
  static struct {         \
    type* of;             \
    int count;            \
    int capacity;         \
  } name

#define APPEND(array, value)                                                           \
  do {                                                                                 \
    if ((array).count == (array).capacity) {                                           \
      (array).capacity = (array).capacity == 0 ? 64 : 2 * (array).capacity;            \
      (array).of = realloc((array).of, (size_t)(array).capacity * sizeof *(array).of); \
      if ((array).of == NULL) abort();                                                 \
    }                                                                                  \
    (array).of[(array).count++] = (value);                                             \
  } while (0)
