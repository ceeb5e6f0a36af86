import { RefusedError } from '../../../core/errors.ts'
import { isAgentActor } from '../../../core/people/agent-actor.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { actor } from '../../process/actor.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

/** `holdpoint runs release RUN`: another process can go on with a run whose host is gone. */
export async function releaseRun(context: CommandContext, words: readonly string[]): Promise<number> {
  const word = onlyWord(words, 'runs release RUN')
  const by = releaserOf(context)
  await using app = await openForReading(context)
  const released = await app.holdpoint.release(await fullId(app.holdpoint, word), { by, surface: 'cli' })
  const { io, json } = context
  io.out(json ? jsonLine(released) : `${released.run_id} is free: ${released.owner} can write nothing more of it.\n`)
  return 0
}

/** P1: the process of an agent takes no run away from another one. */
function releaserOf({ env }: CommandContext): string {
  const by = actor(env)
  if (!isAgentActor(by)) return by
  throw new RefusedError('agent_cannot_release', `${by} is an agent, and only people and pipelines release runs.`, {
    hint: 'Release it from outside of the run of an agent. Nothing was released.',
  })
}
