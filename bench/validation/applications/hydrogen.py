"""A pseudopotential of hydrogen for Quantum ESPRESSO, by the formula of Goedecker, Teter and Hutter (1996), table I. It
is local, so that no projectors are needed. Debian's packages have no pseudopotentials."""

from __future__ import annotations

from math import erf, exp, sqrt

_RADIUS, _C1, _C2 = 0.2, -4.0663326, 0.6778322
"""In atomic units."""
_POINTS, _FIRST, _STEP = 801, 1e-4, 0.0145


def upf() -> str:
    """The file, in UPF 2.0.1. Energies in it are in Rydberg."""
    radii = [_FIRST * exp(_STEP * i) for i in range(_POINTS)]
    tables = {
        "PP_R": radii,
        "PP_RAB": [_STEP * radius for radius in radii],
        "PP_LOCAL": [2 * _potential(radius) for radius in radii],
        "PP_RHOATOM": [4 * radius**2 * exp(-2 * radius) for radius in radii],
    }
    assert abs(sum(a * b for a, b in zip(tables["PP_RHOATOM"], tables["PP_RAB"], strict=True)) - 1) < 1e-3
    head = (
        'generated="by formula" author="" date="" comment="" element="H" pseudo_type="NC" relativistic="no" '
        'is_ultrasoft="F" is_paw="F" is_coulomb="F" has_so="F" has_wfc="F" has_gipaw="F" core_correction="F" '
        'functional="SLA PZ NOGX NOGC" z_valence="1.0" total_psenergy="0.0" wfc_cutoff="0.0" rho_cutoff="0.0" '
        f'l_max="0" l_local="0" mesh_size="{_POINTS}" number_of_wfc="0" number_of_proj="0"'
    )
    mesh = f'<PP_MESH mesh="{_POINTS}">\n{_table("PP_R", radii)}{_table("PP_RAB", tables["PP_RAB"])}</PP_MESH>\n'
    rest = "".join(_table(name, tables[name]) for name in ("PP_LOCAL",))
    rest += "<PP_NONLOCAL>\n</PP_NONLOCAL>\n<PP_PSWFC>\n</PP_PSWFC>\n" + _table("PP_RHOATOM", tables["PP_RHOATOM"])
    return f'<UPF version="2.0.1">\n<PP_INFO>\n</PP_INFO>\n<PP_HEADER {head}/>\n{mesh}{rest}</UPF>\n'


def _potential(radius: float) -> float:
    """In Hartree."""
    x = radius / _RADIUS
    return -erf(x / sqrt(2)) / radius + exp(-(x**2) / 2) * (_C1 + _C2 * x**2)


def _table(name: str, values: list[float]) -> str:
    lines = [" ".join(f"{value:.12e}" for value in values[i : i + 4]) for i in range(0, len(values), 4)]
    return f'<{name} type="real" size="{len(values)}" columns="4">\n' + "\n".join(lines) + f"\n</{name}>\n"
