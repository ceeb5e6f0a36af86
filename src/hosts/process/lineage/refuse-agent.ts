import type { RefusedError } from '../../../core/errors.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'
import { standingHere } from './agent-around.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * P1: the gate before each verb that only people may use. @throws RefusedError `process_not_trusted` if it cannot be
 * known whether an agent started this process; else what `refusal` gives for the agent.
 */
export function refuseAgent(env: Environment, refusal: (agent: string) => RefusedError): void {
  const { agent, unseen } = standingHere(env)
  if (unseen !== null) throw projectRefusals.processNotTrusted(unseen)
  if (agent !== null) throw refusal(agent)
}
