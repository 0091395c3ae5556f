"""The posts of a subreddit's listing, by Reddit's official API (PRAW), without their authors."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from biasatlas.assets.asset import Asset, RedditSource
from biasatlas.assets.sources.attempt import Attempt, SourceError, one_line
from biasatlas.logs import Heartbeat

CREDENTIALS = ("REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET", "REDDIT_USER_AGENT")
# Given to PRAW, as a praw.ini in the working directory could send the credentials elsewhere.
OAUTH_URL = "https://oauth.reddit.com"
REDDIT_URL = "https://www.reddit.com"
_FIELDS = (
    "id", "title", "selftext", "subreddit", "created_utc", "score", "num_comments", "permalink",
)  # fmt: skip
_TIMED = ("top", "controversial")


def attempts(source: RedditSource, asset: Asset) -> list[Attempt]:
    """Ask the API for a listing, with the credentials of an application of the user's own.

    They are read from the environment: `CREDENTIALS`. The file is gzipped JSON lines, sorted by
    id, with the fields id, title, selftext, subreddit, created_utc, score, num_comments and
    permalink. A listing changes from day to day: the version is the day in UTC.

    Parameters
    ----------
    source : RedditSource
        Subreddit and listing.
    asset : Asset
        Entry of the catalogue.

    Returns
    -------
    list of Attempt
        One attempt.
    """

    def run(target: Path) -> str:
        secrets = _read_credentials()
        try:
            posts = sorted(_list_posts(source, secrets), key=lambda post: str(post["id"]))
        except SourceError:
            raise
        # PRAW's own errors, those of the HTTP library below it and of an unexpected answer.
        except Exception as error:
            reason = _explain(error, source)
            for secret in secrets[:2]:
                reason = reason.replace(secret, "***")
            # not chained: what is below may hold the request with the credentials
            raise SourceError(reason) from None
        if not posts:
            raise SourceError(f"r/{source.subreddit} gives no post")
        _write(posts, target)
        return datetime.now(UTC).date().isoformat()

    label = f"Reddit's API, {source.listing} of r/{source.subreddit}"
    return [Attempt(label, source.address, run, network=True)]


def _read_credentials() -> tuple[str, str, str]:
    values = [os.environ.get(name, "").strip() for name in CREDENTIALS]
    missing = [name for name, value in zip(CREDENTIALS, values, strict=True) if not value]
    if missing:
        raise SourceError(
            f"the environment does not hold {', '.join(missing)}; register an application of the "
            f"type script at {REDDIT_URL}/prefs/apps"
        )
    return values[0], values[1], values[2]


def _list_posts(source: RedditSource, secrets: tuple[str, str, str]) -> Iterator[dict[str, Any]]:
    try:
        import praw
    except ImportError:
        raise SourceError("PRAW is not installed: pip install 'biasatlas[reddit]'") from None

    client_id, client_secret, user_agent = secrets
    reddit = praw.Reddit(
        client_id=client_id,
        client_secret=client_secret,
        user_agent=user_agent,
        # no user logs in: read only, whatever a praw.ini says
        username=None,
        password=None,
        refresh_token=None,
        oauth_url=OAUTH_URL,
        reddit_url=REDDIT_URL,
        check_for_updates=False,
    )
    reddit.read_only = True
    listing = getattr(reddit.subreddit(source.subreddit), source.listing)
    given = {"time_filter": source.time_filter} if source.listing in _TIMED else {}
    heartbeat = Heartbeat(f"r/{source.subreddit}")
    for n, post in enumerate(listing(limit=source.limit, **given), start=1):
        values = {field: getattr(post, field) for field in _FIELDS}
        yield {**values, "subreddit": str(values["subreddit"])}
        heartbeat.beat(lambda n=n: f"{n} of at most {source.limit} posts")  # type: ignore[misc]


def _explain(error: Exception, source: RedditSource) -> str:
    """Say what an answer of Reddit means."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    subreddit = f"r/{source.subreddit}"
    meanings = {
        301: f"there is no subreddit {subreddit}",
        302: f"there is no subreddit {subreddit}",
        401: f"Reddit does not accept {CREDENTIALS[0]} and {CREDENTIALS[1]}",
        403: f"{subreddit} is private or quarantined, or the application may not read it",
        404: f"there is no {subreddit}, or it is banned",
        429: "too many requests were sent; wait some minutes",
    }
    known = f"{meanings[status]}: " if status in meanings else ""
    return known + one_line(error)


def _write(posts: list[dict[str, Any]], target: Path) -> None:
    """Write JSON lines whose bytes depend on the posts alone: no name and no time in the gzip."""
    with (
        target.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
    ):
        for post in posts:
            line = json.dumps(post, ensure_ascii=False) + "\n"
            packed.write(line.encode("utf-8", "replace"))
