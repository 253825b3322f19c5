"""Names of links in tables."""

from typing import Any

from ayatori.cli.link_names import names_of_links


def link(start: str, stop: str) -> dict[str, Any]:
    return {"from": start, "from_port": 3, "to": stop, "to_port": 12}


def test_long_names_lose_what_all_begin_and_end_with() -> None:
    links = [
        link("MF0;A10-P1-IBSPINE-02:MQM9701/U1", "MF0;A09-P1-IBLEAF-01-02:MQM9701/U1"),
        link("MF0;A10-P1-IBSPINE-03:MQM9701/U1", "MF0;B09-P1-IBLEAF-01-02:MQM9701/U1"),
    ]
    names, note = names_of_links(links)
    assert names[0] == "A10-P1-IBSPINE-02 port 3 -> A09-P1-IBLEAF-01-02 port 12"
    assert note == "  (all names of devices here also have 'MF0;' and ':MQM9701/U1')"


def test_short_names_and_names_that_would_be_empty_stay() -> None:
    assert names_of_links([link("LS0", "RS1")]) == (["LS0 port 3 -> RS1 port 12"], "")
    same = "a-very-long-name-of-a-switch-that-is-one-and-the-same"
    assert names_of_links([link(same, same)]) == ([f"{same} port 3 -> {same} port 12"], "")
    tail = "x" * 50
    assert names_of_links([link(f"a:{tail}", f":{tail}")])[0] == [f"a:{tail} port 3 -> :{tail} port 12"]
    assert names_of_links([{"link": "from (0, 1) up"}]) == (["from (0, 1) up"], "")
    assert names_of_links([]) == ([], "")
