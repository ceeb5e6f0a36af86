/** `holdpoint daemon`: runs the daemon of a store, or looks after it. */

import type { CommandContext } from '../../command/command.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'

type Verb = (context: CommandContext) => Promise<number>

const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  start: async () => (await import('./start-in-background.ts')).startInBackground,
  status: async () => (await import('./show-daemon.ts')).showDaemon,
  stop: async () => (await import('./stop-daemon.ts')).stopDaemon,
  gc: async () => (await import('./collect-garbage.ts')).collectGarbage,
}

/** The flags that belong to one of the verbs. */
const OWN: Readonly<Record<string, string>> = { drain: 'stop', kill: 'stop', 'dry-run': 'gc' }

export async function run(context: CommandContext): Promise<number> {
  const [name, ...more] = context.given.words
  const load = name === undefined ? undefined : VERBS[name]
  if (more.length > 0 || (name !== undefined && load === undefined))
    throw argumentRefusals.usage('daemon [start | status | stop [--drain|--kill] | gc [--dry-run]]')
  const stray = Object.entries(OWN).find(([flag, verb]) => context.given.has(flag) && name !== verb)
  if (stray) throw serverRefusals.flagOfDaemon(stray[0], stray[1])
  if (load) return (await load())(context)
  return (await import('./run-daemon.ts')).runDaemon(context)
}
