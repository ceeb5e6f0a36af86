import { type AgentDefinition, defineAgent, type Holdpoint, type RunView } from 'holdpoint'
import { busyModel, work } from './scripted.ts'

/** Asks before its one call, for a day. */
export const held: AgentDefinition = defineAgent({
  name: 'held',
  model: busyModel(1),
  tools: [work],
  policy: { default: 'prompt' },
  due: { seconds: 86_400, onDue: 'reject' },
})

/** A run that waits for its approval. */
export async function startWaiting(holdpoint: Holdpoint, agent: string): Promise<RunView> {
  const { id } = await holdpoint.start({ agent, input: 'go' })
  const waiting = await holdpoint.advance(id)
  if (!('holds' in waiting) || !waiting.holds[0]) throw new Error('the run does not wait')
  return waiting
}

export const APPROVAL = { verdict: 'approve', decided_by: 'ana', surface: 'code' } as const
