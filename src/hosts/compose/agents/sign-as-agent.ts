import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'

type Fields = Readonly<Record<string, unknown>>
type Sign = (args: readonly unknown[], agent: string) => readonly unknown[]
type Verbs<Face> = { readonly [Name in keyof Face]?: Sign }

/** The verbs by which a caller says who they are. */
const FACE: Verbs<Holdpoint> = {
  start: first(naming('author')),
  advance: second(({ decisions, ...options }, agent) => ({
    ...options,
    // Changes without an author may narrow a run; the agent is the author of all others.
    by: agent,
    ...(decisions !== undefined && { decisions: changed(decisions, each(naming('decided_by')), agent) }),
  })),
  cancel: second(naming('by')),
  decide: second(naming('decided_by')),
  decideMany: first(each(naming('decided_by'))),
  objections: first(each(naming('decided_by'))),
  answer: second(naming('decided_by')),
  assign: second(naming('by')),
  holdInContext: second((principal, agent) => ({ ...principal, name: agent, kind: 'agent', proven: 'agent' })),
  send: second(naming('author')),
  prune: first(naming('by')),
}

const GRANTS: Verbs<Holdpoint['grants']> = { revoke: second(naming('by')) }

const AUDIT: Verbs<Holdpoint['audit']> = {
  shown: second(naming('to')),
  turnedAway: first(naming('actor')),
}

const BUNDLES: Verbs<Holdpoint['bundles']> = { export: second(naming('by')), import: second(naming('by')) }

const TOKENS: Verbs<Holdpoint['tokens']> = { add: second(naming('by')), revoke: second(naming('by')) }

const TASKS: Verbs<Holdpoint['tasks']> = {
  startCommand: second(naming('by')),
  startAgent: second(naming('by')),
  details: second(naming('by')),
  wait: second(asking),
  cancel: second(naming('by')),
  resume: second(asking),
  goOn: second(naming('by')),
}

const AGENTS: Verbs<Holdpoint['agents']> = {
  spawn: second(naming('by')),
  send: second(naming('author')),
  end: second(naming('by')),
  kill: second(naming('by')),
  wait: second(asking),
  respawn: second(naming('by')),
  fork: second(starting),
  remove: second(naming('by')),
}

/** P1: the same face in a process that runs within an agent. Its callers sign as that agent, by any name they give. */
export function signAsAgent(holdpoint: Holdpoint, agent: string): Holdpoint {
  const parts: Fields = {
    grants: signing(holdpoint.grants, GRANTS, agent),
    audit: signing(holdpoint.audit, AUDIT, agent),
    bundles: signing(holdpoint.bundles, BUNDLES, agent),
    tokens: signing(holdpoint.tokens, TOKENS, agent),
    tasks: signing(holdpoint.tasks, TASKS, agent),
    agents: signing(holdpoint.agents, AGENTS, agent),
  }
  return signing(holdpoint, FACE, agent, parts)
}

function signing<Face extends object>(face: Face, verbs: Verbs<Face>, agent: string, parts: Fields = {}): Face {
  return new Proxy(face, {
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(parts, name)) return parts[name]
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const sign = verbs[name as keyof Face]
      return (...args: readonly unknown[]) => Reflect.apply(value, target, sign ? sign(args, agent) : args)
    },
  })
}

type Change = (given: Fields, agent: string) => unknown

function first(change: Change): Sign {
  return ([given, ...others], agent) => [changed(given, change, agent), ...others]
}

function second(change: Change): Sign {
  return ([subject, given, ...others], agent) => [subject, changed(given, change, agent), ...others]
}

/** The verb itself refuses what is no object. */
function changed(given: unknown, change: Change, agent: string): unknown {
  return typeof given === 'object' && given !== null ? change(given as Fields, agent) : given
}

function naming(field: string): Change {
  return (given, agent) => ({ ...given, [field]: agent })
}

function each(change: Change): Change {
  return (given, agent) => (Array.isArray(given) ? given.map(one => changed(one, change, agent)) : given)
}

function asking({ asker, ...request }: Fields, agent: string): unknown {
  return { ...request, asker: changed(asker, naming('by'), agent) }
}

function starting({ starter, ...request }: Fields, agent: string): unknown {
  return { ...request, starter: changed(starter, naming('by'), agent) }
}
