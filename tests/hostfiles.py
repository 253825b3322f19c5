"""Hostfiles as users have them, drawn at random, and what they stand for."""

import random


def random_hostfile(seed: int, hosts: int = 30, used: int = 16) -> tuple[str, list[str]]:
    """A hostfile in random order, and the host of each rank that it stands for.

    By `seed` modulo 3: one rank a host, half as many hosts twice each in turns, or unequal slots.
    """
    dice = random.Random(seed)
    chosen = [f"N{host}" for host in dice.sample(range(hosts), used)]
    if seed % 3 == 0:
        return "".join(f"{host}\n" for host in chosen), chosen
    if seed % 3 == 1:
        ranks = chosen[: used // 2] * 2
        return "".join(f"{host}\n" for host in ranks), ranks
    slots = [dice.choice([1, 1, 2, 3]) for _ in chosen]
    text = "".join(f"{host} slots={count}\n" for host, count in zip(chosen, slots, strict=True))
    return text, [host for host, count in zip(chosen, slots, strict=True) for _ in range(count)]
