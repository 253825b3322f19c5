"""The C++ core. Use the ayatori package: defaults live there."""

from collections.abc import Sequence
import enum
import os

import numpy
from numpy.typing import NDArray


class Port:
    @property
    def peer(self) -> int: ...

    @property
    def device(self) -> int: ...

    @property
    def guid(self) -> int: ...

    @property
    def lid(self) -> int: ...

    @property
    def lmc(self) -> int: ...

    @property
    def number(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def connected(self) -> bool: ...

    @property
    def rate(self) -> str: ...

    @property
    def bytes_per_second(self) -> float: ...

    @property
    def latency_ns(self) -> int:
        """Of the cable and the device at its end; 0: not known."""

class Machine:
    @property
    def name(self) -> str: ...

    def __repr__(self) -> str: ...

    @property
    def named(self) -> bool: ...

    @property
    def endpoints(self) -> list[int]: ...

class Purpose(enum.Enum):
    """What travels on a network; see ayatori/network/purpose.hpp."""

    everything = 0

    collectives = 1

    neighbours = 2

    storage = 3

    sockets = 4

class PlaneUse:
    """What a plane is for."""

    @property
    def fibre_channel(self) -> bool: ...

    @property
    def purposes(self) -> list[Purpose]:
        """Of collectives, neighbours and storage."""

    def carries(self, purpose: Purpose) -> bool: ...

class Network:
    """An immutable network; see ayatori/network/network.hpp."""

    def __repr__(self) -> str: ...

    @property
    def router_count(self) -> int: ...

    @property
    def device_count(self) -> int: ...

    @property
    def link_count(self) -> int: ...

    @property
    def machines(self) -> list[Machine]: ...

    @property
    def machines_in_order(self) -> list[int]: ...

    @property
    def endpoints(self) -> list[int]: ...

    @property
    def aggregation_ports(self) -> list[int]: ...

    @property
    def degraded_links(self) -> list[int]: ...

    @property
    def direct(self) -> bool:
        """Whether every machine has its router built in."""

    @property
    def planes(self) -> list[str]: ...

    @property
    def plane_uses(self) -> list[PlaneUse]:
        """Beside planes: what each is for."""

    @property
    def background(self) -> list[tuple[int, int, float]]:
        """
        Traffic beside that of jobs: from which port of a NIC to which, and how many bytes a second it asks for.
        """

    @property
    def warnings(self) -> list:
        """What the source could not read, one line each."""

    def plane_of(self, device: int) -> int: ...

    def levels(self) -> list[int] | None:
        """Tree level of each router, or None if the network is no tree."""

    def shape(self) -> Shape: ...

    def on_plane(self, plane: int) -> Network:
        """One plane by itself; see ayatori/network/plane_network.hpp."""

    def name(self, device: int) -> str: ...

    def label(self, device: int) -> str:
        """The name, with GUID and LID if another device has the same name."""

    def lid(self, device: int) -> int:
        """A router's LID, that of its port 0; 0 for other devices."""

    def kind(self, device: int) -> str: ...

    def guid(self, device: int) -> int: ...

    def rail(self, device: int) -> int: ...

    def machine_of(self, device: int) -> int: ...

    def port(self, port: int) -> Port: ...

    def cabled_port(self, device: int, number: int) -> int | None:
        """The id of a device's port; None if it has no such port, or no cable."""

    def cables(self) -> list[tuple[int, int]]:
        """Both port ids of every cable."""

    def describe_link(self, link: int) -> str: ...

    def router_of(self, endpoint: int) -> int | None: ...

class Shape:
    def __repr__(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def routers(self) -> list[int]: ...

    @property
    def cables(self) -> list[int]: ...

    @property
    def oversubscription(self) -> list[float]: ...

    @property
    def dimensions(self) -> list[int]: ...

    @property
    def periodic(self) -> list[bool]: ...

    @property
    def groups(self) -> list[list[int]]:
        """
        The routers of each group of a dragonfly or dragonfly+, leaves before spines.
        """

    @property
    def hosts(self) -> int: ...

    @property
    def machines(self) -> int: ...

    @property
    def rails(self) -> int: ...

    @property
    def summary(self) -> str: ...

    @property
    def irregularities(self) -> list: ...

    @property
    def irregularity_kinds(self) -> list:
        """
        The kind of each irregularity, in words: "missing cables". Those of one kind stand together.
        """

class Job:
    def __repr__(self) -> str: ...

    @property
    def rank_count(self) -> int: ...

    @property
    def machines(self) -> list[int]:
        """Each machine once, in the order of their first ranks."""

    @property
    def machine_of_rank(self) -> list[int]: ...

    @property
    def runs(self) -> list[tuple[int, int]]:
        """
        [(machine, ranks)]: ranks that follow each other on one machine, from rank 0 on.
        """

    def name_of(self, network: Network, machine: int) -> str:
        """
        What to call a machine in files: as the hostfile does, if that is another of its names.
        """

    def in_order(self, places: Sequence[int]) -> Job:
        """The same runs in another order: the i-th is the one at places[i]."""

    def endpoints(self, network: Network) -> list[int]: ...

def job_from_hostfile(network: Network, contents: str, file: str, ranks_per_machine: int, network_order: bool) -> Job: ...

def hosts_in_hostfile(contents: str, file: str) -> list[tuple[str, int]]:
    """
    The names in a hostfile, in its order, each with its slots; 0: they are not given.
    """

def job_of_hosts(network: Network, hosts: Sequence[tuple[str, int]], file: str) -> Job: ...

def random_jobs(network: Network, count: int, size: int, ranks_per_machine: int, seed: int, unnamed_hcas: bool) -> list[Job]: ...

def contiguous_job(network: Network, size: int, ranks_per_machine: int, unnamed_hcas: bool) -> Job: ...

def machines_for_jobs(network: Network, unnamed_hcas: bool) -> list[int]: ...

class RailUse(enum.Enum):
    own = 0

    aligned = 1

    striped = 2

    fastest = 3

    soonest = 4

def job_of_nics(network: Network, job: Job) -> Job:
    """The same machines with a rank for each of their NICs."""

class HostInterface:
    """An interface of a host as its operating system shows it."""

    @property
    def host(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def addresses(self) -> list[str]:
        """IPv4 with the length of their network: '192.168.0.161/24'."""

    @property
    def cabled(self) -> bool:
        """False: no cable leaves it (docker0)."""

def interfaces_in_cluster(file: str) -> list[HostInterface]:
    """The interfaces whose addresses a cluster's file gives."""

def open_source(source: str, host_pattern: str, purpose: Purpose, aliases: str) -> Network: ...

def with_kind(source: str) -> str:
    """
    The path of a file or folder with the kind that its content has, 'ib:fabric.txt'; other sources as they are.
    """

def read_file(path: str) -> bytes:
    """The contents of a regular file or pipe; refuses endless ones."""

def write_file(path: str | os.PathLike, contents: bytes) -> None:
    """Replaces a regular file whole or not at all."""

def source_kinds() -> list[tuple[str, str]]: ...

class Message:
    """A message of a step, from one rank to another."""

    def __repr__(self) -> str: ...

    @property
    def from_rank(self) -> int: ...

    @property
    def to_rank(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class StepSequence:
    def __repr__(self) -> str: ...

    @property
    def rank_count(self) -> int: ...

    @property
    def step_count(self) -> int: ...

    def messages(self, step: int) -> list[Message]:
        """The messages that travel at the same time in a step."""

class PlannedSteps(StepSequence):
    """An all-to-all's steps, made for a job's paths."""

    @staticmethod
    def of(steps: StepSequence) -> PlannedSteps:
        """
        The same steps, if they are an all-to-all in which nobody sends or receives twice at a time.
        """

def shift_all_to_all(ranks: int) -> StepSequence: ...

def ring(ranks: int) -> StepSequence: ...

def neighbour(ranks: int) -> StepSequence: ...

def random_permutations(ranks: int, steps: int, seed: int) -> StepSequence: ...

def parse_pattern(contents: str, file: str, ranks: int) -> StepSequence: ...

def schedule_of_pattern(steps: StepSequence, bytes: int) -> Schedule:
    """
    Traffic that belongs to no collective: every message has so many bytes.
    """

def write_pattern(steps: StepSequence, path: str) -> None: ...

def on_rails(network: Network, job: Job, steps: StepSequence, use: RailUse) -> StepSequence:
    """The steps of a job's ranks as those of its NICs."""

class Places:
    """Where ranks are; see ayatori/schedule/places.hpp."""

    def __repr__(self) -> str: ...

    @property
    def rank_count(self) -> int: ...

    @property
    def machine_count(self) -> int: ...

    @property
    def machine(self) -> list[int]: ...

    @property
    def group(self) -> list[int]: ...

    @property
    def gateway(self) -> list[bool]: ...

    @property
    def aggregators(self) -> list[int]: ...

    @property
    def dimensions(self) -> list[int]: ...

    @property
    def periodic(self) -> list[bool]: ...

    @property
    def point(self) -> list[int]: ...

def places_of_job(network: Network, job: Job) -> Places: ...

def places_on_grid(dimensions: Sequence[int], periodic: Sequence[bool], ranks_per_machine: int) -> Places: ...

def places_of_ranks(ranks: int, ranks_per_machine: int) -> Places: ...

class SlotRange:
    """Consecutive slots of a participant."""

    @property
    def first(self) -> int: ...

    @property
    def count(self) -> int: ...

    def __repr__(self) -> str: ...

class ScheduledMessage:
    """A message that a participant sends or receives in a step."""

    def __repr__(self) -> str: ...

    @property
    def peer(self) -> int:
        """The participant at the other end."""

    @property
    def slots(self) -> list[SlotRange]:
        """
        Where the bytes are, or go: ranges in the order in which they are packed.
        """

    @property
    def bytes(self) -> int: ...

class LocalOperation:
    """What a participant does by itself after the messages of a step."""

    def __repr__(self) -> str: ...

    @property
    def kind(self) -> str:
        """
        'copy': from_slots replace what stands there; 'reduce': they are combined with it.
        """

    @property
    def from_slots(self) -> SlotRange:
        """The slots that are read."""

    @property
    def to_slot(self) -> int:
        """The first of as many slots that are written."""

class StepActions:
    """What one participant does in one step."""

    def __repr__(self) -> str: ...

    @property
    def sends(self) -> list[ScheduledMessage]:
        """All sends and receives of a step start at once."""

    @property
    def receives(self) -> list[ScheduledMessage]: ...

    @property
    def locals(self) -> list[LocalOperation]:
        """Done in this order when all messages have arrived."""

class ScheduleTotals:
    """What travels between the participants of a schedule."""

    def __repr__(self) -> str: ...

    @property
    def messages(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class AlgorithmOptions:
    def __init__(self) -> None: ...

    @property
    def radix(self) -> int: ...

    @radix.setter
    def radix(self, arg: int, /) -> None: ...

    @property
    def chunk_bytes(self) -> int: ...

    @chunk_bytes.setter
    def chunk_bytes(self, arg: int, /) -> None: ...

    @property
    def stencil(self) -> list[int]: ...

    @stencil.setter
    def stencil(self, arg: Sequence[int], /) -> None: ...

    @property
    def stencil_periodic(self) -> list[bool]: ...

    @stencil_periodic.setter
    def stencil_periodic(self, arg: Sequence[bool], /) -> None: ...

    @property
    def planned_steps(self) -> PlannedSteps:
        """
        Of planned: who sends to whom in which step; without them it is the shift.
        """

    @planned_steps.setter
    def planned_steps(self, value: PlannedSteps | None) -> None: ...

    def set_pair_sizes(self, rows: Sequence[Sequence[int]]) -> None:
        """Of alltoallv: bytes from each rank (row) to each, lists or an array."""

class Algorithm:
    def __repr__(self) -> str: ...

    @property
    def collective(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str: ...

    @property
    def needs_grid(self) -> bool: ...

    @property
    def pipelined(self) -> bool: ...

    @property
    def of_an_mpi(self) -> bool:
        """It repeats what an MPI library does; not for choices of our own."""

    @property
    def within_a_node(self) -> bool:
        """It is for ranks that share memory."""

def algorithms() -> list[Algorithm]: ...

class Schedule:
    """A collective as data; see ayatori/schedule/schedule.hpp."""

    def __repr__(self) -> str: ...

    @property
    def collective(self) -> str: ...

    @property
    def ranks(self) -> int: ...

    @property
    def root(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def participant_count(self) -> int: ...

    @property
    def stream_count(self) -> int: ...

    def step_count(self, stream: int) -> int: ...

    @property
    def block_count(self) -> int: ...

    @property
    def slot_count(self) -> int: ...

    def slot_bytes(self, participant: int, slot: int) -> int:
        """Of a participant."""

    def actions(self, participant: int, stream: int, step: int) -> StepActions:
        """
        What a participant does in a step of a stream. Raises IndexError if there is none of these numbers.
        """

    def totals(self) -> ScheduleTotals:
        """What travels between participants in all steps."""

    def sends_the_same_as(self, other: Schedule) -> bool:
        """
        Whether each participant sends, receives, copies and combines the same bytes in the same order.
        """

    def verify(self) -> None: ...

    def steps(self) -> StepSequence: ...

def make_schedule(algorithm: str, collective: str, root: int, bytes: int, places: Places, options: AlgorithmOptions) -> Schedule: ...

class Routes:
    """LIDs and forwarding tables of one network."""

    def __repr__(self) -> str: ...

    @property
    def warnings(self) -> list: ...

    @property
    def lid_count(self) -> int: ...

    @property
    def last_lid(self) -> int: ...

    def base_lid(self, port: int) -> int: ...

    def lmc(self, port: int) -> int: ...

    def out(self, router: int, lid: int) -> int: ...

    def count_differences(self, other: Routes) -> int:
        """
        Entries in which the tables differ. Error: they are of different networks.
        """

    def count_base_differences(self, network: Network, other: Routes) -> int:
        """
        Entries for base LIDs of adapters in which the tables differ. Error: they are of different networks.
        """

def fingerprint_of(network: Network, routes: Routes) -> str:
    """
    16 hexadecimal digits that tell these tables from others: see ayatori/tables/tables.hpp.
    """

class PathNumbering(enum.Enum):
    by_destination = 0

    by_root = 1

class Engine(enum.Enum):
    fat_tree = 0

    up_down = 1

class LmcChoice:
    @property
    def lmc(self) -> int: ...

    @property
    def paths(self) -> int: ...

    @property
    def all_paths(self) -> bool: ...

    @property
    def explanation(self) -> str: ...

class Generated:
    @property
    def lmc(self) -> int: ...

    @property
    def engine(self) -> Engine: ...

    @property
    def paths(self) -> int: ...

    @property
    def lids_kept(self) -> bool: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def routes(self) -> Routes: ...

def choose_lmc(network: Network) -> LmcChoice: ...

def generate_routes(network: Network, lmc: int, endpoint_numbers: Sequence[int], numbering: PathNumbering) -> Generated: ...

def read_tables(path: str, network: Network) -> Routes: ...

def parse_tables(contents: str, file: str, network: Network) -> Routes: ...

def write_tables(network: Network, routes: Routes, path: str, comments: bool = True, changed_from: Routes | None = None) -> None: ...

def table_file_bytes(network: Network, routes: Routes, comments: bool = True, changed_from: Routes | None = None) -> int:
    """How many bytes write_tables() writes."""

def write_guid_to_lid(network: Network, routes: Routes, path: str) -> None: ...

class LinkBalance:
    def __repr__(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def links(self) -> int: ...

    @property
    def min(self) -> int: ...

    @property
    def max(self) -> int: ...

    @property
    def mean(self) -> float: ...

class TableCheck:
    def __repr__(self) -> str: ...

    @property
    def unreachable(self) -> int: ...

    @property
    def ports_without_lids(self) -> int: ...

    @property
    def looping(self) -> int: ...

    @property
    def unrouted_router_lids(self) -> int: ...

    @property
    def deadlock_free(self) -> bool: ...

    @property
    def cycle(self) -> list[int]: ...

    @property
    def longest(self) -> int: ...

    @property
    def parts(self) -> list: ...

    @property
    def balance(self) -> list[LinkBalance]: ...

    @property
    def problems(self) -> list: ...

    @property
    def ok(self) -> bool: ...

def check_tables(network: Network, routes: Routes) -> TableCheck: ...

class Method(enum.Enum):
    destination_mod_k = 0

    rule = 1

    colour = 2

    pair = 3

    @property
    def word(self) -> str:
        """As the command line calls it."""

class Plan:
    @staticmethod
    def destination_mod_k(ranks: int) -> Plan: ...

    @staticmethod
    def per_destination(method: Method, path_bits: Sequence[int]) -> Plan: ...

    def __repr__(self) -> str: ...

    @property
    def method(self) -> Method: ...

    @property
    def rank_count(self) -> int: ...

    @property
    def is_per_pair(self) -> bool: ...

    def path_bits(self, from_rank: int, to_rank: int) -> int: ...

class Planned:
    def __repr__(self) -> str: ...

    @property
    def plan(self) -> Plan: ...

    @property
    def optimal(self) -> bool: ...

    @property
    def reason(self) -> str: ...

    @property
    def contention(self) -> Contention:
        """Of the steps that the plan was made for."""

    @property
    def hot_spots(self) -> int: ...

    @property
    def lower_bound(self) -> int: ...

    @property
    def max_relative_bandwidth(self) -> float: ...

def make_plan(network: Network, routes: Routes, endpoints: Sequence[int], steps: StepSequence, method: Method) -> Planned: ...

class HotLink:
    def __repr__(self) -> str: ...

    @property
    def link(self) -> int: ...

    @property
    def worst_load(self) -> int: ...

    @property
    def worst_step(self) -> int: ...

    @property
    def hot_steps(self) -> int: ...

class Contention:
    def __repr__(self) -> str: ...

    @property
    def steps(self) -> int: ...

    @property
    def free(self) -> bool: ...

    @property
    def relative_bandwidth(self) -> float: ...

    @property
    def mean_time(self) -> float: ...

    @property
    def worst_time(self) -> float: ...

    @property
    def worst_step(self) -> int: ...

    @property
    def hot_spots(self) -> int: ...

    @property
    def hot_links(self) -> list[HotLink]: ...

def measure_contention(network: Network, routes: Routes, endpoints: Sequence[int], plan: Plan, steps: StepSequence) -> Contention: ...

def measure_multipath_contention(network: Network, routes: Routes, endpoints: Sequence[int], steps: StepSequence) -> Contention:
    """
    Every message in equal parts over all paths that its destination's LIDs name.
    """

def link_loads(network: Network, routes: Routes, endpoints: Sequence[int], plan: Plan, steps: StepSequence, step: int) -> list[int]: ...

class SearchControl:
    """
    What a long search and whoever waits for it tell each other, from any thread.
    """

    def __init__(self) -> None: ...

    def __repr__(self) -> str: ...

    def stop(self) -> None:
        """The search ends soon, with the best that it has."""

    @property
    def stopped(self) -> bool: ...

    def expect(self, pieces: int) -> None:
        """From the search: so much is added to the total."""

    def did(self, pieces: int = 1) -> None: ...

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...

class LinkUse:
    def __init__(self, link: int, steps: int, worst_load: int, in_steps: int) -> None: ...

    @property
    def link(self) -> int: ...

    @property
    def steps(self) -> int: ...

    @property
    def worst_load(self) -> int: ...

    @property
    def in_steps(self) -> int:
        """Bit s: in step s; 0 if that is not known."""

class Footprint:
    def __init__(self, steps: int, links: Sequence[LinkUse]) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def steps(self) -> int: ...

    @property
    def links(self) -> list[LinkUse]: ...

def footprint_of(network: Network, routes: Routes, endpoints: Sequence[int], plan: Plan, steps: StepSequence) -> Footprint: ...

class PlannedBeside:
    def __repr__(self) -> str: ...

    @property
    def plan(self) -> Plan: ...

    @property
    def footprint(self) -> Footprint: ...

    @property
    def isolated(self) -> bool: ...

    @property
    def meetings(self) -> float: ...

    @property
    def least_meetings(self) -> float: ...

    @property
    def reason(self) -> str: ...

def plan_beside(network: Network, routes: Routes, endpoints: Sequence[int], steps: StepSequence, others: Sequence[Footprint], control: SearchControl = ...) -> PlannedBeside: ...

def plan_jointly(network: Network, routes: Routes, endpoints: Sequence[Sequence[int]], steps: Sequence[StepSequence], others: Sequence[Footprint], control: SearchControl = ...) -> list[PlannedBeside]: ...

def bandwidth_at_random_phases(network: Network, routes: Routes, endpoints: Sequence[int], plan: Plan, steps: StepSequence, others: Sequence[Footprint]) -> float: ...

def planned(plan: Plan, reason: str) -> Planned:
    """A plan that was made elsewhere, with what is to be said of it."""

class LoadBound:
    """
    Times of an all-to-all on given paths; see ayatori/planning/make_steps.hpp.
    """

    def __repr__(self) -> str: ...

    @property
    def time(self) -> float:
        """No order of the messages takes less."""

    @property
    def busiest(self) -> int:
        """A directed link that needs it."""

    @property
    def endpoint_time(self) -> float:
        """What no paths and no order can beat."""

class MadeSteps:
    def __repr__(self) -> str: ...

    @property
    def steps(self) -> PlannedSteps: ...

    @property
    def contention(self) -> Contention: ...

    @property
    def time(self) -> float:
        """Of all steps, in units of one message on an endpoint's cable."""

    @property
    def bound(self) -> LoadBound: ...

    @property
    def reason(self) -> str: ...

def alltoall_bound(network: Network, routes: Routes, endpoints: Sequence[int], plan: Plan) -> LoadBound: ...

def make_steps(network: Network, routes: Routes, endpoints: Sequence[int], plan: Plan) -> MadeSteps: ...

class JobBesideOthers:
    def __repr__(self) -> str: ...

    @property
    def alone(self) -> float: ...

    @property
    def together(self) -> float: ...

    @property
    def delayed_rounds(self) -> int: ...

    @property
    def worst_neighbour(self) -> int: ...

    @property
    def beside_worst_neighbour(self) -> float: ...

class SharedLink:
    def __repr__(self) -> str: ...

    @property
    def link(self) -> int: ...

    @property
    def first(self) -> int: ...

    @property
    def second(self) -> int: ...

    @property
    def meeting(self) -> float: ...

class JobsTogether:
    def __repr__(self) -> str: ...

    @property
    def rounds(self) -> int: ...

    @property
    def jobs(self) -> list[JobBesideOthers]: ...

    @property
    def shared(self) -> list[SharedLink]: ...

def measure_together(network: Network, routes: Routes, names: Sequence[str], endpoints: Sequence[Sequence[int]], plans: Sequence[Plan], steps: Sequence[StepSequence], rounds: int, seed: int) -> JobsTogether: ...

class HashedContention:
    """See ayatori/planning/source_ports.hpp."""

    @property
    def steps(self) -> int: ...

    @property
    def free_steps(self) -> int: ...

    @property
    def relative_bandwidth(self) -> float: ...

    @property
    def worst_load(self) -> int: ...

class SourcePorts:
    """See ayatori/planning/source_ports.hpp."""

    @property
    def ports(self) -> list[int]: ...

    @property
    def contention(self) -> HashedContention: ...

    @property
    def proven_steps(self) -> int: ...

    @property
    def undecided_steps(self) -> int: ...

class HashedPaths:
    """See ayatori/hashing/hashed_paths.hpp."""

    def path_count(self, from_endpoint: int, to_endpoint: int) -> int: ...

def hashed_paths(network: Network, endpoints: Sequence[int], addresses: Sequence[str], hash: str, seeds: Sequence[int]) -> HashedPaths: ...

def plan_source_ports(paths: HashedPaths, steps: StepSequence) -> SourcePorts: ...

def measure_random_ports(paths: HashedPaths, steps: StepSequence, seed: int) -> HashedContention: ...

class RocePort:
    def __init__(self, host: str, address: str) -> None: ...

    @property
    def host(self) -> str: ...

    @property
    def address(self) -> str: ...

class RocePlanFile:
    def __init__(self, hash: str, reason: str, ports: Sequence[RocePort], source_ports: Sequence[int]) -> None: ...

    @property
    def hash(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def ports(self) -> list[RocePort]: ...

    @property
    def source_ports(self) -> list[int]: ...

def read_roce_plan_file(path: str) -> RocePlanFile: ...

def write_roce_plan_file(file: RocePlanFile, path: str) -> None: ...

def ip_address_text(text: str) -> str | None:
    """An IPv4 or IPv6 address as plans have it; None if the text is none."""

class DrawnBox:
    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...

    @property
    def width(self) -> float: ...

    @property
    def height(self) -> float: ...

    @property
    def round(self) -> bool: ...

class DrawnFrame:
    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...

    @property
    def width(self) -> float: ...

    @property
    def height(self) -> float: ...

    @property
    def round(self) -> bool: ...

    @property
    def label(self) -> str: ...

    @property
    def routers(self) -> list[int]: ...

class DrawnDot:
    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...

    @property
    def endpoint(self) -> int: ...

class DrawnBundle:
    @property
    def form(self) -> str: ...

    @property
    def faint(self) -> bool: ...

    @property
    def degraded(self) -> bool: ...

    @property
    def points(self) -> list[float]: ...

    @property
    def ports(self) -> list[int]: ...

class MissingCables:
    @property
    def from_router(self) -> int: ...

    @property
    def to_router(self) -> int: ...

    @property
    def cables(self) -> int: ...

    @property
    def usual(self) -> int: ...

    @property
    def points(self) -> list[float]: ...

class DrawnText:
    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...

    @property
    def text(self) -> str: ...

    @property
    def anchor(self) -> str: ...

    @property
    def angle(self) -> float: ...

    @property
    def inside(self) -> bool: ...

    @property
    def size(self) -> float: ...

class Drawing:
    """Where everything stands in a drawing; see ayatori/drawing/drawing.hpp."""

    @property
    def width(self) -> float: ...

    @property
    def height(self) -> float: ...

    @property
    def dot(self) -> float: ...

    @property
    def thickness(self) -> float: ...

    @property
    def opacity(self) -> float: ...

    @property
    def labels(self) -> list: ...

    @property
    def boxes(self) -> list[DrawnBox]: ...

    @property
    def box_of(self) -> list[int]:
        """By router, where boxes stand for several routers; else empty."""

    @property
    def box_names(self) -> list: ...

    @property
    def frames(self) -> list[DrawnFrame]: ...

    @property
    def dots(self) -> list[DrawnDot]: ...

    @property
    def bundles(self) -> list[DrawnBundle]: ...

    @property
    def missing(self) -> list[MissingCables]: ...

    @property
    def texts(self) -> list[DrawnText]: ...

    @property
    def remark(self) -> str: ...

def draw(arg: Network, /) -> Drawing: ...

class CostLine:
    """seconds + bytes * seconds_per_byte, from a size on."""

    def __init__(self, first: int, seconds: float, seconds_per_byte: float) -> None: ...

    @property
    def first(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def seconds_per_byte(self) -> float: ...

class MessageCosts:
    """See ayatori/artefacts/message_costs.hpp."""

    def __init__(self) -> None: ...

    @property
    def latency(self) -> float: ...

    @latency.setter
    def latency(self, arg: float, /) -> None: ...

    @property
    def send(self) -> list[CostLine]: ...

    @send.setter
    def send(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def receive(self) -> list[CostLine]: ...

    @receive.setter
    def receive(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def gap(self) -> float: ...

    @gap.setter
    def gap(self, arg: float, /) -> None: ...

    @property
    def eager_limit(self) -> int: ...

    @eager_limit.setter
    def eager_limit(self, arg: int, /) -> None: ...

    @property
    def rendezvous(self) -> float: ...

    @rendezvous.setter
    def rendezvous(self, arg: float, /) -> None: ...

    @property
    def bandwidth(self) -> float: ...

    @bandwidth.setter
    def bandwidth(self, arg: float, /) -> None: ...

    @property
    def burst(self) -> int: ...

    @burst.setter
    def burst(self, arg: int, /) -> None: ...

    @property
    def packet(self) -> int: ...

    @packet.setter
    def packet(self, arg: int, /) -> None: ...

    @property
    def header(self) -> int: ...

    @header.setter
    def header(self, arg: int, /) -> None: ...

class CommunicationCosts:
    """See ayatori/artefacts/message_costs.hpp."""

    def __init__(self) -> None: ...

    @property
    def inside(self) -> MessageCosts: ...

    @inside.setter
    def inside(self, arg: MessageCosts, /) -> None: ...

    @property
    def between(self) -> MessageCosts: ...

    @between.setter
    def between(self, arg: MessageCosts, /) -> None: ...

    @property
    def copy(self) -> list[CostLine]: ...

    @copy.setter
    def copy(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def reduce(self) -> list[CostLine]: ...

    @reduce.setter
    def reduce(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def again(self) -> list[CostLine]: ...

    @again.setter
    def again(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def start(self) -> float: ...

    @start.setter
    def start(self, arg: float, /) -> None: ...

    @property
    def cores(self) -> int: ...

    @cores.setter
    def cores(self, arg: int, /) -> None: ...

    @property
    def turn(self) -> list[CostLine]: ...

    @turn.setter
    def turn(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def first_turn(self) -> float: ...

    @first_turn.setter
    def first_turn(self, arg: float, /) -> None: ...

    @property
    def crowded(self) -> list[CostLine]: ...

    @crowded.setter
    def crowded(self, arg: Sequence[CostLine], /) -> None: ...

class AssumedCosts:
    """See ayatori/artefacts/assumed_costs.hpp."""

    @property
    def costs(self) -> CommunicationCosts: ...

    @property
    def link_latency(self) -> float: ...

def assumed_costs(rate: str, direct: bool) -> AssumedCosts: ...

class FitError:
    def __init__(self, what: str, fitted: bool, points: int, median: float, max: float) -> None: ...

    @property
    def what(self) -> str: ...

    @property
    def fitted(self) -> bool: ...

    @property
    def points(self) -> int: ...

    @property
    def median(self) -> float: ...

    @property
    def max(self) -> float: ...

class Calibration:
    """See ayatori/artefacts/calibration.hpp."""

    def __init__(self) -> None: ...

    @property
    def machine(self) -> str: ...

    @machine.setter
    def machine(self, arg: str, /) -> None: ...

    @property
    def mpi(self) -> str: ...

    @mpi.setter
    def mpi(self, arg: str, /) -> None: ...

    @property
    def remarks(self) -> list[str]: ...

    @remarks.setter
    def remarks(self, arg: Sequence[str], /) -> None: ...

    @property
    def inside(self) -> MessageCosts | None: ...

    @inside.setter
    def inside(self, arg: MessageCosts | None, /) -> None: ...

    @property
    def between(self) -> MessageCosts | None: ...

    @between.setter
    def between(self, arg: MessageCosts | None, /) -> None: ...

    @property
    def links_between(self) -> int: ...

    @links_between.setter
    def links_between(self, arg: int, /) -> None: ...

    @property
    def copy(self) -> list[CostLine]: ...

    @copy.setter
    def copy(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def reduce(self) -> list[CostLine]: ...

    @reduce.setter
    def reduce(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def again(self) -> list[CostLine]: ...

    @again.setter
    def again(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def start(self) -> float: ...

    @start.setter
    def start(self, arg: float, /) -> None: ...

    @property
    def engine(self) -> float: ...

    @engine.setter
    def engine(self, arg: float, /) -> None: ...

    @property
    def cores(self) -> int: ...

    @cores.setter
    def cores(self, arg: int, /) -> None: ...

    @property
    def turn(self) -> list[CostLine]: ...

    @turn.setter
    def turn(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def first_turn(self) -> float: ...

    @first_turn.setter
    def first_turn(self, arg: float, /) -> None: ...

    @property
    def crowded(self) -> list[CostLine]: ...

    @crowded.setter
    def crowded(self, arg: Sequence[CostLine], /) -> None: ...

    @property
    def errors(self) -> list[FitError]: ...

    @errors.setter
    def errors(self, arg: Sequence[FitError], /) -> None: ...

def read_calibration(path: str) -> Calibration: ...

def write_calibration(file: Calibration, path: str) -> None: ...

class JobHost:
    def __init__(self, host: str, ranks: int) -> None: ...

    @property
    def host(self) -> str: ...

    @property
    def ranks(self) -> int: ...

class RankAddress:
    def __init__(self, port_guid: int, base_lid: int) -> None: ...

    @property
    def port_guid(self) -> int: ...

    @property
    def base_lid(self) -> int: ...

class PlanFile:
    def __init__(self, reason: str, lmc: int, tables: str, machines: Sequence[JobHost], ranks: Sequence[RankAddress], plan: Plan, of_nics: bool) -> None: ...

    @property
    def reason(self) -> str: ...

    @property
    def lmc(self) -> int: ...

    @property
    def tables(self) -> str: ...

    @property
    def machines(self) -> list[JobHost]: ...

    @property
    def ranks(self) -> list[RankAddress]: ...

    @property
    def plan(self) -> Plan: ...

    @property
    def of_nics(self) -> bool: ...

def read_plan_file(path: str) -> PlanFile: ...

def write_plan_file(file: PlanFile, path: str) -> None: ...

class OtherPath:
    """See ayatori/plan_in_use/applied_plan.hpp."""

    @property
    def from_rank(self) -> int: ...

    @property
    def to_rank(self) -> int: ...

    @property
    def slid(self) -> int: ...

    @property
    def dlid(self) -> int: ...

    @property
    def count(self) -> int: ...

class AppliedPlan:
    """See ayatori/plan_in_use/applied_plan.hpp."""

    @property
    def connections(self) -> int: ...

    @property
    def as_planned(self) -> int: ...

    @property
    def elsewhere(self) -> int: ...

    @property
    def port_pairs(self) -> int: ...

    @property
    def connected_pairs(self) -> int: ...

    @property
    def not_as_planned(self) -> list[OtherPath]: ...

    @property
    def plan(self) -> Plan: ...

def apply_records(plan: PlanFile, files: Sequence[str]) -> AppliedPlan: ...

class UsedLink:
    def __init__(self, device: int, port: int, steps: int, in_steps: int) -> None: ...

    @property
    def device(self) -> int: ...

    @property
    def port(self) -> int: ...

    @property
    def steps(self) -> int: ...

    @property
    def in_steps(self) -> int:
        """Bit s: in step s; 0 if that is not known."""

class RunningJob:
    def __init__(self, name: str, method: str, machines: Sequence[JobHost], steps: int, links: Sequence[UsedLink]) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def machines(self) -> list[JobHost]: ...

    @property
    def steps(self) -> int: ...

    @property
    def links(self) -> list[UsedLink]: ...

class RunningFile:
    def __init__(self, lmc: int, devices: Sequence[str], jobs: Sequence[RunningJob]) -> None: ...

    @property
    def lmc(self) -> int: ...

    @property
    def devices(self) -> list[str]: ...

    @property
    def jobs(self) -> list[RunningJob]: ...

def read_running_file(path: str) -> RunningFile: ...

def write_running_file(file: RunningFile, path: str) -> None: ...

class ChoiceModel:
    def __init__(self) -> None: ...

    @property
    def steps(self) -> str: ...

    @steps.setter
    def steps(self, arg: str, /) -> None: ...

    @property
    def link_bandwidth(self) -> float: ...

    @link_bandwidth.setter
    def link_bandwidth(self, arg: float, /) -> None: ...

    @property
    def link_latency(self) -> float: ...

    @link_latency.setter
    def link_latency(self, arg: float, /) -> None: ...

    @property
    def head_of_line(self) -> bool: ...

    @head_of_line.setter
    def head_of_line(self, arg: bool, /) -> None: ...

    @property
    def costs_from(self) -> str: ...

    @costs_from.setter
    def costs_from(self, arg: str, /) -> None: ...

    @property
    def costs(self) -> CommunicationCosts: ...

    @costs.setter
    def costs(self, arg: CommunicationCosts, /) -> None: ...

class SizeInterval:
    def __init__(self, first: int, last: int | None, algorithm: str, chunk_bytes: int) -> None: ...

    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int | None: ...

    @property
    def algorithm(self) -> str: ...

    @property
    def chunk_bytes(self) -> int: ...

class CollectiveChoice:
    def __init__(self, collective: str, sampled: Sequence[int], intervals: Sequence[SizeInterval]) -> None: ...

    @property
    def collective(self) -> str: ...

    @property
    def sampled(self) -> list[int]: ...

    @property
    def intervals(self) -> list[SizeInterval]: ...

class ChoiceTable:
    def __init__(self, source: str, machines: Sequence[JobHost], method: str, model: ChoiceModel, collectives: Sequence[CollectiveChoice]) -> None: ...

    @property
    def source(self) -> str: ...

    @property
    def machines(self) -> list[JobHost]: ...

    @property
    def method(self) -> str: ...

    @property
    def model(self) -> ChoiceModel: ...

    @property
    def collectives(self) -> list[CollectiveChoice]: ...

    def find(self, collective: str, size: int) -> SizeInterval: ...

def read_choice_table(path: str) -> ChoiceTable: ...

def write_choice_table(file: ChoiceTable, path: str) -> None: ...

class LoadedAlgorithm:
    """An algorithm of others, from a file or a library."""

    @property
    def takes_chunks(self) -> bool: ...

    def make(self, collective: str, root: int, bytes: int, places: Places, options: AlgorithmOptions) -> tuple[Schedule | None, str]:
        """A verified schedule; or None, and why there is none for this call."""

def names_loaded_algorithm(name: str) -> bool: ...

def load_algorithm(name: str) -> LoadedAlgorithm: ...

class WrittenSchedule:
    """A schedule whose steps are written out."""

    def __repr__(self) -> str: ...

    @property
    def collective(self) -> str: ...

    @property
    def ranks(self) -> int: ...

    @property
    def root(self) -> int: ...

    @property
    def sizes(self, /) -> tuple[int, int | None, int]:
        """
        The sizes that it is right for: from, to (None: no end), and what they are multiples of.
        """

    def schedule(self, bytes: int) -> Schedule:
        """The schedule of a call of that many bytes; not of an alltoallv."""

def written_out(schedule: Schedule) -> WrittenSchedule: ...

def read_schedule_file(path: str) -> tuple[str, list[WrittenSchedule]]: ...

def write_schedule_file(name: str, schedules: Sequence[WrittenSchedule], path: str) -> None: ...

def export_formats() -> list[tuple[str, str]]: ...

def export_network(network: Network, format: str) -> bytes: ...

def export_picture(network: Network, groups: Sequence[tuple[str, Sequence[int]]], links: Sequence[tuple[int, str, float]]) -> bytes:
    """
    An SVG picture with groups (name, endpoints) in colours and links (port, text, share) in red, the larger the share the wider.
    """

class TopologyNic:
    """A network adapter; see ayatori.nwtopo.Nic."""

    @property
    def rail(self) -> int: ...

    @property
    def plane(self) -> int:
        """Index into Topology.planes."""

    @property
    def guid(self) -> int: ...

    @property
    def device(self) -> str: ...

class TopologyLink:
    """A directed link; see ayatori.nwtopo.Link."""

    @property
    def from_id(self) -> int:
        """Id of the object that it leaves."""

    @property
    def to_id(self) -> int:
        """Id of the object that it reaches."""

    @property
    def from_port(self) -> int: ...

    @property
    def to_port(self) -> int: ...

    @property
    def plane(self) -> int:
        """Index into Topology.planes."""

    @property
    def rate(self) -> str: ...

    @property
    def bandwidth(self) -> float: ...

    @property
    def latency(self) -> float:
        """In seconds."""

    @property
    def up(self) -> bool: ...

    @property
    def degraded(self) -> bool: ...

    @property
    def from_nic(self) -> int | None: ...

    @property
    def to_nic(self) -> int | None: ...

    @property
    def from_device(self) -> TopologyNic: ...

    @property
    def to_device(self) -> TopologyNic: ...

class TopologyDifference:
    """What two topologies do not share; see ayatori.nwtopo.Difference."""

    @property
    def type(self) -> str: ...

    @property
    def is_link(self) -> bool: ...

    @property
    def name(self) -> str: ...

    @property
    def detail(self) -> str: ...

class Cut:
    @property
    def bandwidth(self) -> float: ...

    @property
    def injection(self) -> float: ...

    @property
    def num_links(self) -> int: ...

    @property
    def oversubscription(self) -> float: ...

class Topology:
    """See ayatori/topology/topology.hpp; objects are ids."""

    @property
    def machine_count(self) -> int: ...

    @property
    def max_height(self) -> int: ...

    def count_at(self, height: int) -> int: ...

    def object_at(self, height: int, index: int) -> int: ...

    def machine(self, index: int) -> int: ...

    @property
    def planes(self) -> list[str]: ...

    @property
    def warnings(self) -> list: ...

    @property
    def shared_bytes(self) -> int: ...

    @property
    def private_bytes(self) -> int: ...

    def take_out(self, faults: str) -> Topology: ...

    def with_aliases(self, text: str, file: str) -> Topology: ...

    def shrink(self, machines: Sequence[int]) -> Topology: ...

    def difference(self, after: Topology) -> list[TopologyDifference]:
        """What has to happen to this one to become the other."""

    def network(self) -> Network: ...

    def cache_bytes(self) -> bytes: ...

    def write_cache(self, path: str) -> None: ...

    def contains(self, id: int) -> bool: ...

    def kind(self, id: int) -> str: ...

    def height(self, id: int) -> int: ...

    def name(self, id: int) -> str: ...

    def find(self, name: str) -> int | None: ...

    def nic_count(self, id: int) -> int: ...

    def parent_count(self, id: int) -> int: ...

    def parent(self, id: int, index: int) -> int: ...

    def child_count(self, id: int) -> int: ...

    def child(self, id: int, index: int) -> int: ...

    def link_count(self, id: int) -> int: ...

    def link(self, id: int, index: int) -> TopologyLink: ...

    def nic(self, id: int, index: int) -> TopologyNic: ...

    def grid_dimensions(self, grid: int) -> list[int]: ...

    def grid_periodic(self, grid: int) -> list[bool]: ...

    def grid_reference(self, grid: int) -> list[int]: ...

    def grid_dense(self, grid: int) -> bool: ...

    def grid_point(self, grid: int, id: int) -> int | None: ...

    def grid_child(self, grid: int, point: int) -> int | None: ...

    def coordinates(self, grid: int) -> NDArray[numpy.int32]:
        """
        A row a machine, a column a dimension; -1 for machines outside of the grid.
        """

    def link_bytes(self) -> NDArray[numpy.uint8]:
        """LinkRow after LinkRow."""

    def hops(self, a: int, b: int) -> int: ...

    def distances(self, ids: Sequence[int]) -> NDArray[numpy.uint32]: ...

    def count_routes(self, a: int, b: int) -> int: ...

    def route(self, a: int, b: int, which: int) -> list[TopologyLink]: ...

    def routed_path(self, tables: TableRoutes, a: int, b: int, path: int) -> list[TopologyLink]: ...

    def nic_hops(self, a: int, a_nic: int, b: int, b_nic: int) -> int: ...

    def nearest_nic(self, from_: int, nic: int, to: int) -> int | None: ...

    def find_nic(self, guid: int) -> tuple[int, int] | None: ...

    def find_guid(self, guid: int) -> int | None: ...

    def common_ancestors(self, a: int, b: int) -> list[int]: ...

    def nearest_machines(self, id: int, count: int) -> list[int]: ...

    def machines_under(self, id: int) -> NDArray[numpy.uint64]: ...

    def cut(self, a: Sequence[int], b: Sequence[int]) -> Cut: ...

def open_topology(source: str, physical_view: bool, host_pattern: str) -> Topology: ...

def open_cache_bytes(bytes: bytes) -> Topology: ...

class TableRoutes:
    """See ayatori/topology/table_routes.hpp."""

    @property
    def warnings(self) -> list: ...

def parse_table_routes(source: str, host_pattern: str, tables: str, file: str) -> TableRoutes: ...

def open_formula(source: str) -> Topology | None:
    """
    The topology of a source that is a formula, in constant time; None for all others.
    """

def automatic_source() -> str: ...

def job_hosts() -> list[str]: ...

class StepMode(enum.Enum):
    drift = 0

    synchronous = 1

class FlowOptions:
    """The model's numbers; see ayatori/flow/simulate.hpp."""

    def __init__(self) -> None: ...

    @property
    def steps(self) -> StepMode: ...

    @steps.setter
    def steps(self, arg: StepMode, /) -> None: ...

    @property
    def costs(self) -> CommunicationCosts: ...

    @costs.setter
    def costs(self, arg: CommunicationCosts, /) -> None: ...

    @property
    def on_planes(self) -> list[MessageCosts | None]: ...

    @on_planes.setter
    def on_planes(self, arg: Sequence[MessageCosts | None], /) -> None: ...

    @property
    def head_of_line(self) -> bool: ...

    @head_of_line.setter
    def head_of_line(self, arg: bool, /) -> None: ...

    @property
    def in_order(self) -> bool: ...

    @in_order.setter
    def in_order(self, arg: bool, /) -> None: ...

    @property
    def late(self) -> list[float]: ...

    @late.setter
    def late(self, arg: Sequence[float], /) -> None: ...

class PathChoice(enum.Enum):
    """Who chooses the path of a message; see ayatori/flow/paths.hpp."""

    plan = 0

    load = 1

    hash = 2

class LinkDefaults:
    def __init__(self) -> None: ...

    @property
    def bytes_per_second(self) -> float: ...

    @bytes_per_second.setter
    def bytes_per_second(self, arg: float, /) -> None: ...

    @property
    def latency(self) -> float: ...

    @latency.setter
    def latency(self, arg: float, /) -> None: ...

def simulate_jobs(network: Network, routes: Routes | None, plans: Sequence[Plan], jobs: Sequence[Job], schedules: Sequence[Schedule], options: FlowOptions, links: LinkDefaults, routers: Sequence[Sequence[int]], rails: RailUse = RailUse.own, choice: PathChoice = PathChoice.plan, hash_seed: int = 0) -> list:
    """
    Times one schedule a job, jobs in parallel; a dict each. Without routes (and plans) messages go by dimension order, without a plan over all LIDs. `routers`: of each job, or none at all. `rails` other than `own` need plans of the jobs' NICs (job_of_nics).
    """

class JobsSideBySide:
    """Jobs that run at the same time; see ayatori/flow/side_by_side.hpp."""

    def __init__(self, network: Network, routes: Routes | None, plans: Sequence[Plan], jobs: Sequence[Job], schedules: Sequence[Schedule], options: FlowOptions, links: LinkDefaults, routers: Sequence[Sequence[int]], rails: RailUse = RailUse.own, choice: PathChoice = PathChoice.plan, hash_seed: int = 0) -> None:
        """As simulate_jobs takes them."""

    def seconds(self, runs: Sequence[Sequence[tuple[int, float, bool]]]) -> list[list[float]]:
        """
        Of each run, the mean time of a call of each of its jobs. A job of a run: its number, its phase in seconds, and whether it is timed. In parallel.
        """

    def busy_links(self, job: int) -> list[tuple[int, float]]:
        """
        The links that a job uses, and how many seconds each needs for the bytes of one call.
        """

    def link_name(self, link: int) -> str: ...

def smpi_platform(network: Network, routes: Routes | None, plan: Plan | None, job: Job, links: LinkDefaults, bus: float) -> bytes:
    """The same links and routes for SimGrid, with one host for each rank."""
