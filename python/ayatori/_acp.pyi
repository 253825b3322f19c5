"""
libacp's core: what it takes of memory, and its transport on simulated networks.
"""



class NetworkScenario:
    """What a simulated network does; see ayatori/simulated/scenario.hpp."""

    def __init__(self) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def receive_buffers(self) -> int: ...

    @receive_buffers.setter
    def receive_buffers(self, arg: int, /) -> None: ...

    @property
    def rnr_retry(self) -> int: ...

    @rnr_retry.setter
    def rnr_retry(self, arg: int, /) -> None: ...

    @property
    def drop(self) -> float: ...

    @drop.setter
    def drop(self, arg: float, /) -> None: ...

    @property
    def duplicate(self) -> float: ...

    @duplicate.setter
    def duplicate(self, arg: float, /) -> None: ...

    @property
    def reorder(self) -> float: ...

    @reorder.setter
    def reorder(self, arg: float, /) -> None: ...

def load_network_scenario(path: str) -> NetworkScenario: ...

class IncastLoad:
    """Who sends how much to one; see ayatori/simulated/incast.hpp."""

    def __init__(self) -> None: ...

    @property
    def clients(self) -> int: ...

    @clients.setter
    def clients(self, arg: int, /) -> None: ...

    @property
    def messages(self) -> int: ...

    @messages.setter
    def messages(self, arg: int, /) -> None: ...

    @property
    def queued(self) -> int: ...

    @queued.setter
    def queued(self, arg: int, /) -> None: ...

    @property
    def bytes(self) -> int: ...

    @bytes.setter
    def bytes(self, arg: int, /) -> None: ...

class TransportOptions:
    """How an endpoint behaves; see ayatori/transport/options.hpp."""

def adaptive_transport(admission: bool, receive_buffers: int) -> TransportOptions: ...

def fixed_transport(timeout: float, admission: bool, receive_buffers: int) -> TransportOptions:
    """Without admission the protocol of paper 5, section 5.2."""

def run_incast(load: IncastLoad, scenario: NetworkScenario, options: TransportOptions) -> dict:
    """Times in seconds; latency_s: median, 99%, 99.9%, longest."""

def run_reliable_connections(load: IncastLoad, scenario: NetworkScenario, not_ready_delay: float) -> dict:
    """
    Paper 5's other protocol: RC with a shared receive queue. The delay is of RNR NAKs, in seconds.
    """

def run_many_peers(count: int, at_once: int, contexts: int, scenario: NetworkScenario) -> dict: ...

class AcpMemoryUse:
    @property
    def tables(self) -> int: ...

    @property
    def wires(self) -> int: ...

    @property
    def starter(self) -> int: ...

    @property
    def waiting(self) -> int: ...

    @property
    def queue_pairs(self) -> int: ...

def acp_memory_use(wires: str, procs: int, ranks_per_host: int) -> AcpMemoryUse: ...
