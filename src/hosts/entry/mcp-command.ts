/** How `holdpoint mcp` is told of: its flags and its help. */
import { type Flag, STORE_FLAG } from '../command/flags.ts'

export const MCP_FLAGS: readonly Flag[] = [
  { name: 'http', help: 'over streamable HTTP, for any number of clients that bear the token' },
  { name: 'port', value: 'N', help: 'with --http: where it listens (default 4653; 0 for any free port)' },
  { name: 'host', value: 'ADDRESS', help: 'with --http: on which address (default 127.0.0.1, this machine alone)' },
  { name: 'agent', value: 'FILE', help: 'agents that are started here are this one' },
  { name: 'model', value: 'MODEL', help: 'with this model' },
  { name: 'tool', short: 't', value: 'NAME', multiple: true, help: 'with these tools at most (repeatable)' },
  { name: 'policy', value: 'FILE', help: 'under this policy (default .holdpoint/policy.json)' },
  { name: 'max-steps', value: 'N', help: 'for at most so many model answers each' },
  { name: 'workdir', short: 'w', value: 'DIR', help: 'where they and commands work (default: here)' },
  STORE_FLAG,
]

export const MCP_ABOUT: string = `Clients of the Model Context Protocol (agents, editors, chat programs) get the same controls that people have here:
start commands and agents as tasks, wait for them, see what they ask, decide holds, resume. Tasks outlive this process;
so a client may go and another one come, and everything is still there.

Without --http it serves the one client that starts it, on stdin and stdout; logs go to stderr. Most clients take this:

  {
    "mcpServers": {
      "holdpoint": {
        "command": "holdpoint",
        "args": ["mcp"],
        "cwd": "/path/to/your/project"
      }
    }
  }

Where a client knows no "cwd": "command": "sh", "args": ["-c", "cd /path/to/your/project && exec holdpoint mcp"].

With --http it listens on http://127.0.0.1:4653/mcp until SIGTERM or Ctrl-C:

  {
    "mcpServers": {
      "holdpoint": {
        "url": "http://127.0.0.1:4653/mcp",
        "headers": { "Authorization": "Bearer TOKEN" }
      }
    }
  }

The token is HOLDPOINT_MCP_TOKEN, or the one in .holdpoint/mcp-token, which is made at the first start. Requests that
come from web pages, or for another host name, are refused.

Who decides: a client signs as \`mcp:NAME\`, by the name that it gives itself; with HOLDPOINT_ACTOR set for this process,
as that. A hold that is put to the person at the client (ask_user) is signed by whom this process runs for, like on the
command line. The flags that agents are started with are the most that any client can have them do.

Examples:
  holdpoint mcp                                          for one client, that starts it
  holdpoint mcp -t read_file -t list_files --max-steps 20   what is started can only read
  holdpoint mcp --http --port 0                          for many, on a free port`
