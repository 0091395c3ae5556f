"""Language models: chat and invented text by file, folder or server; prompts; replies kept between runs."""
