import torch
from torch.nn.parallel import DistributedDataParallel

from bench.worker import replicas

LOCAL_NORM = ("PyTorch",)  # backends where a batch norm sees the share of its device alone


def join(program, group):
    if not torch.distributed.is_initialized():
        backend = "nccl" if next(program.model.parameters()).is_cuda else "gloo"
        store = "file://%s/store" % group.folder
        torch.distributed.init_process_group(backend, store, rank=group.rank, world_size=group.size)
    parallel = program.run = DistributedDataParallel(program.run)
    program.communication_s = lambda: parallel._get_ddp_logging_data()["backward_comm_time"] / 1e9


def vary(program, source):
    return replicas.by_processes(program, torch.cuda.device_count(), join), source
