"""Whether llama-cpp-python is there, and how to install it."""

from __future__ import annotations

from importlib.util import find_spec

LLAMA_VERSION = "0.3.36"
INSTALL = (
    "run `make llm`, or CMAKE_ARGS='-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF -DGGML_AVX2=ON "
    "-DGGML_FMA=ON -DGGML_F16C=ON -DLLAMA_CURL=OFF' "
    f"pip install 'llama-cpp-python=={LLAMA_VERSION}'"
)


def check_llama(key: str = "labels.model") -> list[str]:
    """Say what is missing for a GGUF model; nothing heavy is imported.

    Parameters
    ----------
    key : str
        The config key that asks for the model.

    Returns
    -------
    list of str
        One line with the install command, or nothing.
    """
    if find_spec("llama_cpp") is not None:
        return []
    return [f"key `{key}`: needs llama-cpp-python, which is not installed; {INSTALL}"]
