#pragma once
/* The threads of this process. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The id of the thread with this name; 0 if there is none. */
static int find_thread(const char* name) {
  int found = 0;
  DIR* const threads = opendir("/proc/self/task");
  for (struct dirent* one; (one = readdir(threads)) != NULL;) {
    char path[300];
    char comm[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", one->d_name);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    if (fscanf(file, "%63s", comm) == 1 && strcmp(comm, name) == 0) found = atoi(one->d_name);
    fclose(file);
  }
  closedir(threads);
  return found;
}
