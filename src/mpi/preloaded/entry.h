#pragma once
/* Functions that a program calls by the names of MPI's, as our preloaded libraries have them.
 *
 * Such a library is built for one family of MPIs, and may get into a program of another, whose handles are wider: those
 * of MPICH are ints, and those of Open MPI and of MPI's standard ABI pointers. So an entry hands on each argument as
 * wide as a register, or a place on the stack, is on 64-bit Linux, where an int is the lower half of its place. */

/* So many parameters, AYATORI_WORDS_2(long) is "long a, long b", or without a type so many arguments. */
#define AYATORI_WORDS_1(...) __VA_ARGS__ a
#define AYATORI_WORDS_2(...) AYATORI_WORDS_1(__VA_ARGS__), __VA_ARGS__ b
#define AYATORI_WORDS_3(...) AYATORI_WORDS_2(__VA_ARGS__), __VA_ARGS__ c
#define AYATORI_WORDS_4(...) AYATORI_WORDS_3(__VA_ARGS__), __VA_ARGS__ d
#define AYATORI_WORDS_5(...) AYATORI_WORDS_4(__VA_ARGS__), __VA_ARGS__ e
#define AYATORI_WORDS_6(...) AYATORI_WORDS_5(__VA_ARGS__), __VA_ARGS__ f
#define AYATORI_WORDS_7(...) AYATORI_WORDS_6(__VA_ARGS__), __VA_ARGS__ g
#define AYATORI_WORDS_8(...) AYATORI_WORDS_7(__VA_ARGS__), __VA_ARGS__ h
#define AYATORI_WORDS_9(...) AYATORI_WORDS_8(__VA_ARGS__), __VA_ARGS__ i
#define AYATORI_WORDS_10(...) AYATORI_WORDS_9(__VA_ARGS__), __VA_ARGS__ j
#define AYATORI_WORDS_11(...) AYATORI_WORDS_10(__VA_ARGS__), __VA_ARGS__ k
#define AYATORI_WORDS_12(...) AYATORI_WORDS_11(__VA_ARGS__), __VA_ARGS__ l
#define AYATORI_WORDS_13(...) AYATORI_WORDS_12(__VA_ARGS__), __VA_ARGS__ m

/* The number of arguments in brackets; 1 for none, which costs nothing. */
#define AYATORI_COUNT(arguments) AYATORI_COUNT_OF arguments
#define AYATORI_COUNT_OF(...) AYATORI_FOURTEENTH(__VA_ARGS__, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define AYATORI_FOURTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, ...) n
#define AYATORI_JOINED(a, b) a##b
#define AYATORI_WORDS_OF(count) AYATORI_JOINED(AYATORI_WORDS_, count)
#define AYATORI_WORDS(arguments) AYATORI_WORDS_OF(AYATORI_COUNT(arguments))

#ifdef __clang__
#define AYATORI_OF_ANY_TYPE __attribute__((no_sanitize("function"))) /* the function's, but for the widths */
#else
#define AYATORI_OF_ANY_TYPE
#endif

/* Defines `symbol` for calls with ARGUMENTS, in brackets, which go to the function that TARGET is then. */
#define AYATORI_ENTRY(attributes, symbol, arguments, target)                              \
  attributes int ayatori_entry_##symbol(AYATORI_WORDS(arguments)(long)) __asm__(#symbol); \
  AYATORI_OF_ANY_TYPE int ayatori_entry_##symbol(AYATORI_WORDS(arguments)(long)) {        \
    typedef int words(AYATORI_WORDS(arguments)(long));                                    \
    return ((words*)(void (*)(void))(target))(AYATORI_WORDS(arguments)());                \
  }
