import { textOf } from '../mcp/clients.ts'
import { mcpClient } from '../server/mcp-client.ts'
import type { ServerProcess } from '../server/server-process.ts'
import { type Door, once, type Raised } from './door.ts'

/** A client without forms: its model says what its person said. */
export async function mcpDoor(
  server: ServerProcess,
  { person, token }: { readonly person: string; readonly token: string },
): Promise<Door> {
  const client = await mcpClient(server, 'latest', { token })
  const call = async (name: string, args: Record<string, unknown>) =>
    textOf(await client.callTool({ name, arguments: args }))
  const read = async ({ hold_id }: Raised) => {
    const { contents } = await client.readResource({ uri: `holdpoint://holds/${hold_id}` })
    return JSON.parse((contents[0] as { text: string }).text)
  }
  return {
    name: 'MCP',
    person,
    raise: async () => {
      const { run_id, session_id: thread_id, pause_reason } = await call('run_agent', { prompt: 'deploy' })
      return { run_id, thread_id, hold_id: pause_reason.pending_tool_calls[0].hold_id }
    },
    shows: async hold => {
      await once(async () => ((await read(hold)).status === 'open' ? true : null))
    },
    told: async hold => {
      const { decision } = await once(async () => {
        const now = await read(hold)
        return now.status === 'open' ? null : now
      })
      return decision.decided_by
    },
    decide: async ({ hold_id }, verdict) => {
      const answer = await call('decide_hold', { hold_id, verdict })
      if (answer.error) return { won: false, winner: answer.error.details.winner.decided_by }
      return { won: true, winner: answer.decision.decided_by }
    },
    // The result of a run is all that a tool tells of a conversation.
    transcript: async () => null,
    texts: async () => null,
    [Symbol.asyncDispose]: () => client.close(),
  }
}
