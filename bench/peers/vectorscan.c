/*
 * Vectorscan over a file of texts: vectorscan EXPRESSIONS TEXTS COMPARED BUDGET_MS TURNS
 *
 * EXPRESSIONS has a line for each: its flags, its length in bytes, the expression, with tabs between; its number is that of the
 * line, from 0. TEXTS has one text a line. Prints what every peer prints: `loaded` with CPU seconds, `bytes` that the rules take, `match` with text and number
 * for the first COMPARED texts, `compared` with their number, and for each turn `measured` with texts, CPU microseconds and matches.
 * A turn ends after BUDGET_MS of CPU time.
 */
#define _GNU_SOURCE
#include <hs/hs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lines {
  char **at;
  size_t count;
};

static struct lines read_lines(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  struct lines lines = {NULL, 0};
  size_t room = 0, size = 0;
  char *line = NULL;
  ssize_t length;
  while ((length = getline(&line, &size, file)) >= 0) {
    if (length > 0 && line[length - 1] == '\n') line[--length] = 0;
    if (lines.count == room) {
      room = room == 0 ? 1024 : room * 2;
      lines.at = realloc(lines.at, room * sizeof *lines.at);
    }
    lines.at[lines.count++] = strdup(line);
  }
  free(line);
  fclose(file);
  return lines;
}

static double cpu_micros(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static hs_database_t *database;
static hs_scratch_t *scratch;
/* By number. Nothing is asked of the edges of a combination. */
static unsigned *lengths;
static unsigned *found_in;

static void compile(struct lines lines) {
  const char **expressions = malloc(lines.count * sizeof *expressions);
  unsigned *flags = malloc(lines.count * sizeof *flags);
  unsigned *numbers = malloc(lines.count * sizeof *numbers);
  lengths = calloc(lines.count, sizeof *lengths);
  found_in = calloc(lines.count, sizeof *found_in);
  for (size_t at = 0; at < lines.count; at++) {
    char *rest;
    numbers[at] = at;
    flags[at] = strtoul(lines.at[at], &rest, 10);
    lengths[at] = strtoul(rest + 1, &rest, 10);
    expressions[at] = rest + 1;
  }
  hs_compile_error_t *error;
  if (hs_compile_multi(expressions, flags, numbers, lines.count, HS_MODE_BLOCK, NULL, &database, &error) != HS_SUCCESS) {
    fprintf(stderr, "%s (expression %d)\n", error->message, error->expression);
    exit(1);
  }
  if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS) exit(1);
}

struct search {
  const char *text;
  size_t length;
  size_t event;
  size_t matches;
  unsigned search;
  int is_told;
};

/* Beyond ASCII the bytes of a character do not say what it is: each counts as part of a word. */
static int is_in_word(char unit) {
  unsigned char byte = unit;
  return byte >= 0x80 || byte == '_' || (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

static int is_cut_out_of_word(const struct search *at, size_t from, size_t to) {
  unsigned char first = at->text[from], last = at->text[to - 1];
  return (from > 0 && first < 0x80 && first != '#' && is_in_word(at->text[from - 1])) ||
         (to < at->length && last < 0x80 && is_in_word(at->text[to]));
}

static int on_match(unsigned number, unsigned long long from, unsigned long long to, unsigned flags, void *context) {
  struct search *at = context;
  /* A character may be shorter in the other case. */
  size_t start = to > lengths[number] ? to - lengths[number] : 0;
  if (lengths[number] > 0 && is_cut_out_of_word(at, start, to)) return 0;
  if (found_in[number] == at->search) return 0;
  found_in[number] = at->search;
  at->matches++;
  if (at->is_told) printf("match\t%zu\t%u\n", at->event, number);
  return 0;
}

/* Searches texts until the budget is spent. */
static struct search run(struct lines texts, size_t limit, double budget, int is_told) {
  static unsigned searches;
  struct search at = {.is_told = is_told};
  double end = cpu_micros() + budget;
  for (; at.event < limit && at.event < texts.count && (at.event % 16 != 0 || cpu_micros() < end); at.event++) {
    at.text = texts.at[at.event];
    at.length = strlen(at.text);
    at.search = ++searches;
    if (hs_scan(database, at.text, at.length, 0, scratch, on_match, &at) != HS_SUCCESS) exit(1);
  }
  return at;
}

int main(int count, char **arguments) {
  if (count != 6) {
    fprintf(stderr, "usage: vectorscan EXPRESSIONS TEXTS COMPARED BUDGET_MS TURNS\n");
    return 2;
  }
  struct lines texts = read_lines(arguments[2]);
  double budget = strtod(arguments[4], NULL) * 1e3;
  struct lines expressions = read_lines(arguments[1]);

  double began = cpu_micros();
  compile(expressions);
  printf("loaded\t%f\n", (cpu_micros() - began) / 1e6);
  size_t bytes, working;
  if (hs_database_size(database, &bytes) != HS_SUCCESS || hs_scratch_size(scratch, &working) != HS_SUCCESS) return 1;
  printf("bytes\t%zu\n", bytes + working);
  printf("compared\t%zu\n", run(texts, strtoul(arguments[3], NULL, 10), budget, 1).event);
  for (int turn = atoi(arguments[5]); turn > 0; turn--) {
    began = cpu_micros();
    struct search done = run(texts, texts.count, budget, 0);
    printf("measured\t%zu\t%f\t%zu\n", done.event, cpu_micros() - began, done.matches);
  }
  return 0;
}
