"""Encode the words of a language's lists, taking from the cache what was encoded before."""

from pathlib import Path

import pandas as pd

from biasatlas.encoders.reading import describe_reading
from biasatlas.encoders.texts import digest_texts
from biasatlas.encoders.words import TextsForContext, encode_words, write_encoded
from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.provenance import file_sha256

given, params, output = snakemake.input, snakemake.params, snakemake.output
language, model = snakemake.wildcards.language, snakemake.wildcards.model
settings = dict(params.settings)
with start(snakemake.log[0], f"encode_words {language} {model}"):
    entries = sorted(set(pd.read_parquet(given.words, columns=["word"])["word"]))
    in_context = None
    if given.texts:
        texts = pd.read_parquet(given.texts[0])["text"].tolist()
        asked = settings["in_context"] | {"seed": settings["seed"]}
        asked |= {"readable_min": settings["readable_min"]}
        in_context = TextsForContext(texts, digest_texts(texts), **asked)
    # The plan cannot know what other texts would train.
    model_key = [*params.key, file_sha256(given.model)] if params.trained else params.key
    encoded = encode_words(
        entries,
        kind=params.kind,
        path=given.model,
        # Not an output: Snakemake would remove it before the job that it must serve.
        cache_file=(cache := Path(output.encoded).with_suffix(".cache")),
        # With the code: what a mended encoder gave before it was mended is not taken.
        key=(key := f"{params.code} {model_key} {settings['batch_size']}"),
        batch_size=settings["batch_size"],
        in_context=in_context,
        language=language,
    )
    context_key = in_context.key(language) if in_context else ""
    write_encoded(encoded, output.encoded, cache, key, context_key)
    of_model = (language, model, params.group, params.kind, settings["readable_min"])
    write_parquet(describe_reading(encoded, *of_model), output.reading)
