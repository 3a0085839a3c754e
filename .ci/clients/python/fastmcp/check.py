"""FastMCP's client over stdio and HTTP: check.py URL COMMAND ARGS…"""

import json
import sys
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

sys.path.append(str(Path(__file__).parent.parent))
from walk import SKILL, report, walk  # noqa: E402

url, command, *args = sys.argv[1:]


async def check(transport):
    async with Client(transport) as client:

        async def call(name, arguments):
            return json.dumps((await client.call_tool(name, arguments)).structured_content)

        await walk(call)
        prompts = [prompt.name for prompt in await client.list_prompts()]
        assert "use-skill" in prompts, prompts
        contents = await client.read_resource(f"skill://examples/{SKILL}/SKILL.md")
        assert contents[0].text.startswith("---"), contents


report(
    {
        "FastMCP over stdio": lambda: check(StdioTransport(command=command, args=args)),
        "FastMCP over HTTP": lambda: check(StreamableHttpTransport(url)),
    }
)
