/** \file
 * The ECMP hash of your Ethernet switches, as a function in a shared library of your own. With
 * `ayatori roce --hash library:FILE.so` Ayatori plans the source ports of RoCE connections by it.
 *
 *     cc -shared -fPIC -o our_switches.so our_switches.c
 *     ayatori roce SOURCE --job hosts --hash library:./our_switches.so --addresses FILE --out roce.json
 */
#ifndef AYATORI_HASH_H
#define AYATORI_HASH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AYATORI_HASH_VERSION 1

/* The fields of a packet that a switch hashes, in the byte order of this machine. Later versions may add members at the
 * end. */
struct ayatori_flow {
    uint32_t version;          /* AYATORI_HASH_VERSION of the program that calls */
    uint32_t source;           /* IPv4 address: 10.0.0.1 is 0x0a000001; 0 over IPv6 */
    uint32_t destination;      /* likewise */
    uint16_t source_port;      /* of UDP, from 0xC000 to 0xFFFF */
    uint16_t destination_port; /* of UDP: 4791, RoCE version 2 */
    uint32_t protocol;         /* 17, UDP */
    uint8_t source_address[16];      /* in network order; an IPv4 address as ::ffff:10.0.0.1 */
    uint8_t destination_address[16]; /* likewise */
    uint32_t flow_label;             /* of the IPv6 header, 20 bits, from which the source port follows; 0 over IPv4 */
};

/* The function that your library defines: the choice of a switch among equal-cost cables. It must return the same value
 * for the same arguments. One thread at a time calls it. The caller owns all memory.
 *
 *   flow         the packet; valid until you return
 *   name         the switch's name in the source of the network
 *   seed         the hash seed of this switch, from --switch-seeds FILE; by default its number among the switches, from 1
 *                on
 *   cables       the number of equal-cost cables, at least 2
 * Returns the number of the cable, from 0 on in order of ports; Ayatori takes it modulo `cables`. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
uint32_t ayatori_choose_cable(const struct ayatori_flow *flow, const char *name, uint32_t seed, uint32_t cables);

#ifdef __cplusplus
}
#endif

#endif
