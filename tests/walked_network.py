"""A network and its tables as the table walker takes them: plain numbers."""

from ayatori._core import Network, Routes
from table_walker import TableWalker, Wiring


def walker_of(network: Network, routes: Routes, path: int = 0) -> TableWalker:
    """Walks LID number `path` of every host port."""
    switches = network.router_count
    ends = [[(network.port(port).device, network.port(port).number) for port in pair] for pair in network.cables()]
    cables = [(a, b) for a, b in ends if a[0] < switches and b[0] < switches and a[0] != b[0]]
    hosts = [network.router_of(endpoint) for endpoint in network.endpoints]
    lids = [routes.base_lid(endpoint) + path for endpoint in network.endpoints]
    out = {(switch, host): routes.out(switch, lid) for switch in range(switches) for host, lid in enumerate(lids)}
    return TableWalker(Wiring(switches, cables, hosts), out)
