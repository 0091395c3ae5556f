"""Local language models: chat with a GGUF file, prompts, replies kept between runs."""
