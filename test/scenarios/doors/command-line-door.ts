import { createInterface } from 'node:readline'
import type { Project } from '../project.ts'
import { type Door, textsIn } from './door.ts'

/** A shell, with `holdpoint holds --watch` in another one. */
export function commandLineDoor(project: Project): Door {
  const person = 'clio'
  const env = { HOLDPOINT_ACTOR: person }
  const watch = project.start(['holds', '--watch', '--json'], { env })
  const changes = new Map<string, PromiseWithResolvers<string>>()
  const changed = (change: string, holdId: string) => {
    const known = changes.get(change + holdId) ?? Promise.withResolvers<string>()
    changes.set(change + holdId, known)
    return known
  }
  if (watch.stdout)
    createInterface(watch.stdout).on('line', line => {
      const { change, hold } = JSON.parse(line)
      changed(change, hold.id).resolve(hold.decision?.decided_by ?? hold.status)
    })
  return {
    name: 'command line',
    person,
    raise: async () => {
      const { json } = await project.run(['-a', '--pause-on-approval', '-o', 'json', 'deploy'], { env })
      const { run_id, session_id: thread_id, pause_reason } = json
      return { run_id, thread_id, hold_id: pause_reason.pending_tool_calls[0].hold_id }
    },
    shows: async ({ hold_id }) => {
      await changed('opened', hold_id).promise
    },
    told: ({ hold_id }) => changed('closed', hold_id).promise,
    decide: async ({ hold_id }, verdict) => {
      const { json } = await project.run([verdict, hold_id, '--json'], { env })
      const won = json.outcome === 'recorded'
      return { won, winner: won ? json.decision.decided_by : json.error.winner.decided_by }
    },
    transcript: threadId => project.messages(threadId),
    texts: async threadId => textsIn(await project.messages(threadId)),
    [Symbol.asyncDispose]: async () => {
      watch.kill('SIGTERM')
    },
  }
}
