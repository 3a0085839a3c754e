"""LangChain's MCP adapter over stdio: check.py URL COMMAND ARGS…"""

import sys
from pathlib import Path

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

sys.path.append(str(Path(__file__).parent.parent))
from walk import report, walk  # noqa: E402

_, command, *args = sys.argv[1:]


async def check():
    connections = {"skillgate": {"transport": "stdio", "command": command, "args": args}}
    async with MultiServerMCPClient(connections).session("skillgate") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}

        async def call(name, arguments):
            return text_of(await tools[name].ainvoke(arguments))

        await walk(call)


def text_of(answer):
    """What the model gets: a string, or a list of content blocks."""
    if isinstance(answer, str):
        return answer
    return "\n".join(block.get("text", "") for block in answer)


report({"LangChain over stdio": check})
