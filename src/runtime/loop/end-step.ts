import type { Termination } from '../../core/run/termination.ts'
import { runPhase } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'

/** How often plugins may make a run go on for one input (docs/design/runs.md#input-providers). */
export const MOST_FORCED = 3

/** Ends the step. If it was the agent's last word, a plugin may make the run go on. */
export async function endStep(session: RunSession): Promise<Termination | null> {
  session.stage('step.ended', { step: session.run.steps })
  const said = await runPhase(session, { phase: 'stepEnd', run: (hook, view) => hook(view) })
  const wish = said.find(({ result }) => result.continueWith !== undefined)
  if (wish && session.run.concluding && mayForce(session, wish.plugin)) {
    const content = String(wish.result.continueWith)
    session.stage('message.received', { content, author: null, forced_by: wish.plugin })
  }
  return null
}

/** False, and noted, past the cap: a plugin that never has enough does not keep a run going for ever. */
export function mayForce(session: RunSession, plugin: string): boolean {
  if (session.run.forced < MOST_FORCED) return true
  const message = `The plugin ${plugin} wanted the run to go on a ${MOST_FORCED + 1}th time, which is too often.`
  session.stage('note', { about: 'forced_continuation', message })
  return false
}
