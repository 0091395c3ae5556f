"""Everything that comes from outside; the only rules that touch the network.

Outputs: <fetched>/{asset}/ (shared by all runs) and <fetched>/{asset}.json (what was fetched).
Expects: resources/assets.yaml; config keys asset_paths, ungdc_path, weathub_path.
"""


localrules:
    fetch_asset,


rule fetch_asset:
    input:
        catalogue=ancient("resources/assets.yaml"),
        local=lambda wildcards: PLAN.local_copy(wildcards.asset) or [],
    output:
        folder=directory("<fetched>/{asset}"),
        record="<fetched>/{asset}.json",
    log:
        "<logs>/fetch_asset/{asset}.log",
    conda:
        "../../envs/assets.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        # The largest are 5 GB.
        runtime=240,
    params:
        # No code version: whatever the code, the hashes say whether it fetched the right bytes.
        asset=lambda wildcards: PLAN.asset_digest(wildcards.asset),
        # Another copy of the user's is another source, whatever its age.
        local=lambda wildcards: str(PLAN.local_copy(wildcards.asset) or ""),
    message:
        "Fetching {wildcards.asset}"
    script:
        "../scripts/fetch_asset.py"
