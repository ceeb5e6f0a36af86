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
