/** What a simulated life says of people and of time: who may decide, until when, and what happens then. Plain data. */
import type { EscalationLevel, FinalAction } from '../../src/core/people/due.ts'
import type { Groups } from '../../src/core/people/groups.ts'
import type { DecidersOptions, DueOptions } from '../../src/core/people/people-options.ts'
import type { ApprovalAnswers } from '../../src/core/run/profile.ts'
import type { Choices } from './choices.ts'
import { TOOLS, type ToolName } from './tool-names.ts'

/** Who acts. Some may decide, depending on what is asked; of the last two, hardly anybody wants them to. */
export const PEOPLE = ['ana', 'ben', 'cleo', 'dan', 'agent:other/run_7', 'agent:tester'] as const

export const GROUPS: Groups = { finance: ['ana', 'ben'], managers: ['cleo', 'dan'], nobody: [] }

export interface PeoplePlot {
  /** Who asked for the runs; `null` where nobody said. */
  readonly author: string | null
  /** What the agent says of time. */
  readonly due: DueOptions | null
  readonly toolDue: Readonly<Partial<Record<ToolName, DueOptions>>>
  /** Whom the agent asks. */
  readonly deciders: DecidersOptions | null
  readonly toolDeciders: Readonly<Partial<Record<ToolName, DecidersOptions>>>
  readonly answers: ApprovalAnswers
  /** In the end everybody decides, or time does it. */
  readonly ends: 'by_people' | 'by_time'
}

export function choosePeople(choices: Choices): PeoplePlot {
  return withoutContradictions({
    author: choices.pick([null, 'ana', 'cleo']),
    due: choices.chance(40) ? chooseDue(choices) : null,
    toolDue: {
      ...Object.fromEntries(choices.some(TOOLS, 20).map(name => [name, chooseDue(choices)])),
      destroys: chooseDueOfDestructive(choices),
    },
    deciders: choices.chance(12) ? choices.pick(DECIDERS) : null,
    toolDeciders: Object.fromEntries(choices.some(TOOLS, 12).map(name => [name, choices.pick(DECIDERS)])),
    answers: choices.weighted([
      [4, 'tolerant'],
      [1, 'strict'],
    ]),
    ends: choices.pick(['by_people', 'by_time']),
  })
}

/** Its calls wait for an answer, so nobody in time cannot approve them: its definition may not say so. */
const WAITS_FOR_ANSWER: ToolName = 'elsewhere'

/** What names its deciders may not say in the same breath that nobody approves. What it belongs to may. */
function withoutContradictions({ due, deciders, toolDue, toolDeciders, ...plot }: PeoplePlot): PeoplePlot {
  const entries = Object.entries(toolDue).map(([name, said]) => [
    name,
    toolDeciders[name as ToolName] || name === WAITS_FOR_ANSWER ? byPeople(said) : said,
  ])
  return {
    ...plot,
    ...{ deciders, toolDeciders, toolDue: Object.fromEntries(entries) },
    due: due && deciders ? byPeople(due) : due,
  }
}

function byPeople({ onDue, finally: last, ...due }: DueOptions): DueOptions {
  return {
    ...due,
    ...(onDue && { onDue: onDue === 'auto_approve' ? 'reject' : onDue }),
    finally: last === 'auto_approve' ? 'reject' : (last ?? 'cancel'),
  }
}

const SECONDS: readonly number[] = [20, 5, 60, 600]

function chooseDue(choices: Choices): DueOptions {
  const escalation = choices.list(
    2,
    (): EscalationLevel => ({
      assignee: choices.pick(['@managers', 'dan', '@nobody']),
      seconds: choices.pick(SECONDS),
    }),
  )
  const onDue = choices.pick<FinalAction | null>([null, 'cancel', 'reject', 'auto_approve'])
  return {
    seconds: choices.pick([...SECONDS, null]),
    remindAfter: choices.some([1, 8, 30, 30], 40),
    finally: choices.pick(['cancel', 'reject', 'auto_approve']),
    ...(escalation.length > 0 && { escalation }),
    ...(onDue && { onDue }),
  }
}

/** Whoever defines it may not say that nobody approves it; what its calls ask for halfway, and its agent, may well. */
function chooseDueOfDestructive(choices: Choices): DueOptions {
  const { escalation, ...due } = chooseDue(choices)
  if (escalation) return { ...due, escalation, onDue: 'escalate', finally: choices.pick(['cancel', 'reject']) }
  return { ...due, onDue: choices.pick(['cancel', 'reject']), finally: 'cancel' }
}

const DECIDERS: readonly DecidersOptions[] = [
  { quorum: 2 },
  ['@finance'],
  { notRequester: true },
  { people: ['@finance', 'cleo'], quorum: 2 },
  { people: ['@managers', '@finance'], notRequester: true, quorum: 2 },
  ['agent:other', 'ben'],
  ['@nobody', 'dan'],
]
