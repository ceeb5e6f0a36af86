import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Signature } from '../../../runtime/face/verbs.ts'
import { changeVerbs } from './change-verbs.ts'

type Fields = Readonly<Record<string, unknown>>

/** P1: the same face in a process that runs within an agent. Its callers sign as that agent, by any name they give. */
export function signAsAgent(holdpoint: Holdpoint, agent: string): Holdpoint {
  return changeVerbs(holdpoint, (call, { signs }) =>
    signs === null
      ? call
      : (...args) => call(...args.map((each, place) => (place === signs.argument ? signed(each, signs, agent) : each))),
  )
}

function signed(given: unknown, { each, field, as }: Omit<Signature, 'argument'>, agent: string): unknown {
  if (each) return Array.isArray(given) ? given.map(one => signed(one, { as }, agent)) : given
  // The verb itself refuses what is no object.
  if (typeof given !== 'object' || given === null) return given
  const { member_of: _, ...fields } = given as Fields
  if (field) return { ...given, [field]: signed(fields[field], { as }, agent) }
  const { decisions } = fields
  return {
    ...fields,
    ...(as === 'name' && { kind: 'agent', proven: 'agent' }),
    ...(decisions !== undefined && { decisions: signed(decisions, { each: true, as: 'decided_by' }, agent) }),
    // Changes without an author may narrow a run; the agent is the author of all others.
    [as]: agent,
  }
}
