"""Looking around in a report: search, steps, zoom, keys, tips, paper, and no request to anybody."""

from pathlib import Path

import pytest
import sample_study as sample
from devtools import CHROMIUM, Browser

from ayatori.report import write_report

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

LOADS = "[...document.querySelectorAll('g.loads')].map((g) => g.innerHTML).join()"
VIEW = "document.querySelector('svg.fabric').getAttribute('viewBox')"
FOUND = "document.querySelectorAll('svg.fabric:first-of-type g.found circle').length"


def said(output: str) -> str:
    return f"document.querySelector('output.{output}').textContent"


@pytest.fixture(scope="module")
def rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(tmp_path_factory.mktemp("rails"), sample.multi_rail_study())


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(tmp_path_factory.mktemp("large"), sample.large_study())


def report(folder: Path, *studies: sample.Study) -> Path:
    return write_report(sample.write_studies(folder, *studies))


def test_search_finds_every_nic_of_a_host(browser: Browser, rails: Path) -> None:
    browser.open(rails)
    whole = browser.value(VIEW)
    browser.press("/")
    browser.type("DGX-5")
    assert browser.value(said("search")).startswith("dgx-5: leaf-0 port 6, rail 0; leaf-1 port 6, rail 1;")
    assert browser.value("document.querySelector('g.found').childElementCount") == 4
    browser.value("document.querySelector('input[type=search]').value = ''")
    browser.type("spine-1")
    assert browser.value(said("search")) == "spine-1" and browser.value(VIEW) != whole
    browser.type("xyz")
    assert browser.value(said("search")) == "nothing is called spine-1xyz"


def test_enter_shows_the_next_match(browser: Browser, rails: Path) -> None:
    browser.open(rails)
    browser.press("/")
    browser.type("leaf")
    assert "1 of 4" in browser.value(said("search"))
    browser.press("Enter")
    assert browser.value(said("search")).startswith("leaf-1") and "2 of 4" in browser.value(said("search"))


def test_slider_changes_loads(browser: Browser, rails: Path) -> None:
    browser.open(rails)
    assert browser.value(said("step")) == "step 1; on the most loaded cable: before 3 messages, after 1 message"
    before = browser.value(LOADS)
    assert "load3" in before and "load4" not in before
    browser.value("document.querySelector('input[type=range]').focus()")
    for _ in range(2):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", windowsVirtualKeyCode=39)
    assert browser.value(said("step")) == "step 3; on the most loaded cable: before 4 messages, after 1 message"
    after = browser.value(LOADS)
    assert after != before and "load4" in after and "load3" not in after


def test_keys_change_step_and_zoom(browser: Browser, rails: Path) -> None:
    browser.open(rails)
    browser.value("document.querySelector('.explorer').focus()")
    whole = browser.value(VIEW)
    browser.press("]")
    assert browser.value("document.querySelector('.explorer').dataset.step") == "2"
    browser.press("+")
    zoomed = browser.value(VIEW)
    assert float(zoomed.split()[2]) < float(whole.split()[2])
    browser.press("ArrowRight")
    assert float(browser.value(VIEW).split()[0]) > float(zoomed.split()[0])
    browser.press("0")
    assert [float(part) for part in browser.value(VIEW).split()] == [float(part) for part in whole.split()]


def test_pointer_shows_tips_of_hosts_and_bundles(browser: Browser, rails: Path) -> None:
    browser.open(rails)
    browser.value("document.querySelector('svg.fabric').scrollIntoView()")
    browser.settle()
    assert tip_over(browser, "svg.fabric circle.host.mine") == "dgx-0\nleaf-0 port 1, rail 0\nrank 0 of the job"
    assert tip_over(browser, "g.loads .load3 .line") == "spine-0 → leaf-1\nport 2 → port 9 (4xNDR): 3 messages"


def tip_over(browser: Browser, selector: str) -> str:
    """What the page shows when the pointer is over the middle of an element."""
    box = f"const box = document.querySelector('{selector}').getBoundingClientRect();"
    middle = f"(() => {{ {box} return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
    browser.move_to(*browser.value(middle))
    browser.settle()
    return browser.value("document.getElementById('tip').textContent")


def test_ten_thousand_hosts_stay_small_and_are_found(browser: Browser, large: Path) -> None:
    assert large.stat().st_size < 20_000_000
    browser.open(large)
    assert browser.value("document.documentElement.dataset.errors || ''") == ""
    before = browser.value(LOADS)
    browser.press("/")
    browser.type("N10367")
    assert browser.value(said("search")) == "N10367: LS575 port 18, rail 0"
    browser.value("document.querySelector('.explorer').focus()")
    browser.press("[")
    assert browser.value(LOADS) != before


def test_search_finds_a_host_below_a_box_of_several_routers(browser: Browser, tmp_path: Path) -> None:
    browser.open(report(tmp_path, sample.ring_study(4200)))
    assert browser.value("document.documentElement.dataset.errors || ''") == ""
    assert "load2" in browser.value(LOADS)
    browser.press("/")
    browser.type("N4000-0")
    assert browser.value(said("search")) == "N4000-0: R4000 port 1, rail 0"
    assert browser.value(FOUND) == 1
    browser.value("document.querySelector('input[type=search]').value = ''")
    browser.type("R4199")
    assert browser.value(said("search")) == "R4199" and browser.value(FOUND) == 1


def test_no_request_leaves_the_page(browser: Browser, rails: Path, large: Path) -> None:
    for page in (rails, large):
        browser.events.clear()
        browser.open(page)
        asked = [url for url in browser.requests() if not url.startswith(("data:", "blob:"))]
        assert asked == [page.resolve().as_uri()]


def test_prints_pictures_without_tools(browser: Browser, rails: Path) -> None:
    browser.open(rails)
    assert browser.pdf().startswith(b"%PDF-")
    browser.call("Emulation.setEmulatedMedia", media="print")
    shown = "[...document.querySelectorAll('{}')].some((element) => element.checkVisibility())"
    assert browser.value(shown.format("svg.fabric g.loads path"))
    assert not browser.value(shown.format(".tools button, .tools input, .keys"))
    browser.call("Emulation.setEmulatedMedia", media="")
