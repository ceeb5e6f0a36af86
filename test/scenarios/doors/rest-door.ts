import type { ServerProcess } from '../server/server-process.ts'
import { type Door, once, textsIn } from './door.ts'

export function restDoor(
  server: ServerProcess,
  { person, token }: { readonly person: string; readonly token: string },
): Door {
  const send = async (path: string, body?: unknown) =>
    (await server.send(path, { token, ...(body !== undefined && { body }) })).json
  const transcript = async (threadId: string) => (await send(`/v1/threads/${threadId}/messages?view=model`)).messages
  return {
    name: 'REST',
    person,
    raise: async () => {
      const { run_id, thread_id } = await send('/v1/threads', { input: 'deploy' })
      const hold = await once(async () => (await send(`/v1/holds?run_id=${run_id}`)).holds[0])
      return { run_id, thread_id, hold_id: hold.id }
    },
    shows: async ({ hold_id }) => {
      await once(async () => ((await send(`/v1/holds/${hold_id}`)).status === 'open' ? true : null))
    },
    told: async ({ hold_id }) => {
      const { decision } = await once(async () => {
        const hold = await send(`/v1/holds/${hold_id}`)
        return hold.status === 'open' ? null : hold
      })
      return decision.decided_by
    },
    decide: async ({ hold_id }, verdict) => {
      const answer = await send(`/v1/holds/${hold_id}/decisions`, { verdict })
      const won = answer.outcome === 'recorded'
      return { won, winner: won ? answer.decision.decided_by : answer.winner.decided_by }
    },
    transcript,
    texts: async threadId => textsIn(await transcript(threadId)),
    [Symbol.asyncDispose]: async () => {},
  }
}
