"""Serves a GGUF model on loopback, OpenAI-compatible, until standard input ends.

Arguments: MODEL PORT CONTEXT THREADS ALIAS. Prints the address once the model answers.
"""

import sys

import xllamacpp

model, port, context, threads, alias = sys.argv[1:6]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {alias}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(context)
params.n_parallel = 1
params.use_jinja = True
params.warmup = False
params.cpuparams.n_threads = int(threads)
params.cpuparams_batch.n_threads = int(threads)
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
