"""Runs a function in several processes that reach each other over gloo, as `torchrun` would start them."""

import os
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist

PATIENCE = timedelta(seconds=30)  # with a process that does not answer


def in_processes(count, function, *arguments):
    """`function(rank, *arguments)` in `count` processes; returns what each returned: numbers, tensors, lists of them.

    Where one of them raises, the others are ended and ProcessRaisedException holds its traceback.
    """
    with TemporaryDirectory() as folder:
        given = count, folder, function, arguments
        # Forked, they have everything imported. Safe, since no tensor operation on several threads came before.
        torch.multiprocessing.start_processes(_process, given, count, start_method="fork")
        return [torch.load(_result(folder, rank)) for rank in range(count)]


def _process(rank, count, folder, function, arguments):
    torch.set_num_threads(1)
    os.environ |= {
        "LOCAL_RANK": str(rank),  # these are what accelerate reads
        "LOCAL_WORLD_SIZE": str(count),
        "WORLD_SIZE": str(count),
        "OMP_NUM_THREADS": "1",
    }
    meeting_place = f"file://{folder}/store"  # a port could be taken by somebody else
    dist.init_process_group("gloo", init_method=meeting_place, rank=rank, world_size=count, timeout=PATIENCE)
    torch.save(function(rank, *arguments), _result(folder, rank))
    dist.destroy_process_group()


def _result(folder, rank):
    return Path(folder, f"{rank}.pt")
