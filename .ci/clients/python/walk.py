"""What each client does: search, load what was found, read one of its files. And how a check is reported."""

import asyncio
import json
import traceback

QUERY = "customers say our mails end up in the junk folder"
SKILL = "email-deliverability"
REFERENCE = "references/bounce-codes.md"
LIMIT_SECONDS = 90


async def walk(call):
    """`call(name, arguments)` returns a tool's answer as text, or its structured content as JSON."""
    found = await call("search_skills", {"query": QUERY, "top_k": 3})
    assert f'"id": "{SKILL}"' in found or f"- {SKILL}:" in found, found
    loaded = await call("load_skill", {"skill": SKILL, "query": QUERY})
    assert REFERENCE in loaded, loaded
    read = await call("read_reference", {"skill": SKILL, "path": REFERENCE, "lines": "1-5"})
    assert "# " in read, read


def report(checks):
    """Runs `{name: function that returns an awaitable}` and prints a line of JSON for each."""
    for what, check in checks.items():
        try:
            asyncio.run(asyncio.wait_for(check(), LIMIT_SECONDS))
            outcome = {"what": what, "passed": True, "details": ""}
        except Exception:
            outcome = {"what": what, "passed": False, "details": traceback.format_exc()}
        print(json.dumps(outcome), flush=True)
