"""Jobs of a few processes, on loopback or on test hosts with limited links."""
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = [str(ROOT / "build/perf/overlap_bench")]
RIVAL = ["/usr/bin/python3", str(ROOT / "perf/rivals/ddp.py")]
DEADLINE = 600  # seconds, of one job
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def has_rival():
    test = [RIVAL[0], "-c", "import torch.distributed"]
    return subprocess.run(test, capture_output=True, check=False).returncode == 0


def hosts_tool():
    """The tool that makes test hosts: GRAPEVINE_HOSTS_TOOL, or one beside the
    repository. Returns (path, None) or (None, what is missing)."""
    beside = ROOT.parent / "shared/tools/hosts"
    path = os.environ.get("GRAPEVINE_HOSTS_TOOL", str(beside))
    if not os.access(path, os.X_OK):
        return None, f"no tool for test hosts at {path} (GRAPEVINE_HOSTS_TOOL)"
    if os.geteuid() != 0:
        return None, "test hosts want root"
    if shutil.which("ip") is None:
        return None, "test hosts want iproute2"
    return path, None


class Loopback:
    """Processes of this machine, without limits."""

    address = "127.0.0.1"

    def command(self, _rank, _count, command):
        return command

    def mpirun(self, count):
        return ["mpirun", "--oversubscribe", "-np", str(count)]

    def environment(self):
        return {}


class Hosts:
    """Test hosts; a machine has one set of them at a time. More processes than
    hosts are dealt in blocks: two a host are 0 and 1, 2 and 3, …"""

    def __init__(self, tool, count):
        self.tool = tool
        self.count = count
        self.address = self._ask("address", "0")

    def _ask(self, *arguments):
        return subprocess.run(
            [self.tool, *arguments], check=True, text=True, capture_output=True
        ).stdout.strip()

    def command(self, rank, count, command):
        host = rank * self.count // max(count, self.count)
        return [self.tool, "exec", str(host), *command]

    def mpirun(self, count):
        slots = max(1, count // self.count)
        addresses = [self._ask("address", str(i)) for i in range(self.count)]
        return [
            *[self.tool, "exec", "0", "mpirun"],
            *["--mca", "plm_rsh_agent", f"{self.tool} rsh"],
            *["--mca", "btl_tcp_if_include", "eth0"],
            *["--mca", "oob_tcp_if_include", "eth0"],
            *["--host", ",".join(f"{address}:{slots}" for address in addresses)],
            *["-np", str(count)],
        ]

    def _choose_congestion(self, rank):
        """The figures are to be about the line, not about what probing for its
        bandwidth costs: BBR, a default in places, leaves some of it unused."""
        for name in ("cubic", "reno"):
            setting = f"net.ipv4.tcp_congestion_control={name}"
            command = [self.tool, "exec", str(rank), "sysctl", "-qw", setting]
            done = subprocess.run(command, capture_output=True, check=False)
            if done.returncode == 0:
                return
        print(f"host {rank} keeps its congestion control", file=sys.stderr)

    def environment(self):
        return {"GLOO_SOCKET_IFNAME": "eth0"}  # what PyTorch goes by

    @staticmethod
    @contextlib.contextmanager
    def up(tool, count, rate):
        lock = pathlib.Path(tempfile.gettempdir()) / "hosts.lock"
        with open(lock, "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            hosts = Hosts(tool, count)
            hosts._ask("down")  # what a killed run may have left
            try:
                hosts._ask("up", str(count), rate)
                for rank in range(count):
                    hosts._choose_congestion(rank)
                yield hosts
            finally:
                hosts._ask("down")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_job(place, count, command):
    """Runs `count` processes in torchrun's environment; returns the JSON that
    rank 0 prints."""
    environment = {
        **os.environ,
        **ONE_THREAD,
        **place.environment(),
        "MASTER_ADDR": place.address,
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(count),
    }
    processes = []
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: [stop(process) for process in processes])
        outputs = []
        for rank in range(count):
            output = stack.enter_context(tempfile.TemporaryFile("w+"))
            outputs.append(output)
            processes.append(
                subprocess.Popen(
                    place.command(rank, count, command),
                    env={**environment, "RANK": str(rank)},
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            )
        await_all(processes)
        for rank, process in enumerate(processes):
            if process.returncode != 0:
                raise failure(command, rank, process.returncode, outputs[rank])
        return result_in(outputs[0])


def run_mpi(place, count, command):
    """The same over MPI."""
    environment = {
        **os.environ,
        **ONE_THREAD,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    # Bound to a core, both threads of a process would share it.
    launcher = [*place.mpirun(count), "--bind-to", "none"]
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(
            [*launcher, *command],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=DEADLINE,
            check=False,
        )
        if done.returncode != 0:
            raise failure(command, "?", done.returncode, output)
        return result_in(output)


def await_all(processes):
    """Until all have ended well, or the first has not."""
    end = time.monotonic() + DEADLINE
    while any(process.poll() is None for process in processes):
        if any(process.poll() not in (None, 0) for process in processes):
            time.sleep(1)  # the others may still say why
            return
        if time.monotonic() > end:
            raise TimeoutError(f"a job took more than {DEADLINE} s")
        time.sleep(0.05)


def stop(process):
    if process.poll() is None:
        process.kill()
    process.wait()


def result_in(output):
    output.seek(0)
    for line in output:
        if line.startswith("{"):
            return json.loads(line)
    raise RuntimeError("a job printed no result")


def failure(command, rank, code, output):
    output.seek(0)
    text = output.read()[-2000:]
    return RuntimeError(
        f"rank {rank} of {' '.join(command)} ended with {code}:\n{text}"
    )
