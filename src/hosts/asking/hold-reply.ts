import { type Hold, type HoldKind, riskOf } from '../../core/hold/hold.ts'
import { thingNamed } from '../../core/hold-view/blocks/act-words.ts'
import { faultsText } from '../../core/plain/exact-json.ts'
import { readFitting } from '../../core/plain/read-fitting.ts'
import type { Json } from '../../core/text/json.ts'

/** A line that a person typed about a hold. */
export type Reply =
  | { readonly do: 'approve' }
  | { readonly do: 'edit' }
  | { readonly do: 'later' }
  | { readonly do: 'reject'; readonly reason: string | null }
  | { readonly do: 'respond'; readonly value: Json }
  | { readonly do: 'answer'; readonly text: string }
  | { readonly do: 'unclear'; readonly problem: string }

/** A way to decide, as it is offered. */
interface Way {
  readonly words: readonly string[]
  /** The words after the first one. */
  readonly rest: string
  readonly meaning: string
  readonly reply: (rest: string) => Reply
}

const LATER: Way = {
  words: ['later', 'l'],
  rest: '',
  meaning: 'nothing is decided, and this process ends with exit 10',
  reply: alone({ do: 'later' }, 'later'),
}

const APPROVE: Way = {
  words: ['y', 'yes', 'approve', 'a'],
  rest: '',
  meaning: 'it runs as shown',
  reply: alone({ do: 'approve' }, 'approve'),
}

/** No single letter lets a call run that reaches further than usual. */
const APPROVE_HIGH: Way = { ...APPROVE, words: ['yes', 'approve'] }

const AGAIN: Way = {
  words: ['again'],
  rest: '',
  meaning: 'it is run once more',
  reply: alone({ do: 'approve' }, 'again'),
}

const REJECT: Way = {
  words: ['n', 'no', 'reject', 'r', 'deny'],
  rest: 'WHY',
  meaning: 'it does not run, and the agent is told why',
  reply: rejected,
}

/** A line answers these kinds, unless it begins with a slash. */
const ANSWERED: readonly HoldKind[] = ['question', 'input']

const WAYS: Record<HoldKind, readonly Way[]> = {
  approval: [
    APPROVE,
    REJECT,
    {
      words: ['edit', 'e'],
      rest: '',
      meaning: 'it runs with arguments that you change in your editor',
      reply: alone({ do: 'edit' }, 'edit'),
    },
    LATER,
  ],
  question: [
    { ...REJECT, words: ['reject', 'deny'], meaning: 'the agent is told that nobody answers, and why' },
    { ...LATER, words: ['later'] },
  ],
  input: [{ ...LATER, words: ['later'] }],
  client_tool: [
    { words: ['result'], rest: 'RESULT', meaning: 'it was run elsewhere, and this came of it', reply: responded },
    { ...REJECT, words: ['reject', 'r', 'no', 'n', 'deny'] },
    LATER,
  ],
  in_doubt: [
    AGAIN,
    { words: ['happened'], rest: 'RESULT', meaning: 'it happened, and this came of it', reply: responded },
    { words: ['failed'], rest: 'WHY', meaning: 'it did not happen, and the agent is told so', reply: rejected },
    LATER,
  ],
}

type Asked = Pick<Hold, 'kind' | 'choices' | 'refused_before' | 'risk' | 'overrides_never'> &
  Partial<Pick<Hold, 'tool' | 'arguments'>> & {
    /** The person may not decide it. */
    readonly laterOnly?: boolean
  }

function waysOf(asked: Asked): readonly Way[] {
  const ways = WAYS[asked.kind]
  if (asked.refused_before?.for_good) return ways.filter(way => way !== APPROVE)
  const risk = riskOf(asked)
  if (risk === 'ordinary') return ways
  return ways.map(way => {
    if (way === APPROVE) return risk === 'high' ? APPROVE_HIGH : withThing({ ...way, words: ['approve'] }, asked)
    return way === AGAIN ? withThing(way, asked) : way
  })
}

/** To override a policy, or to run once more what may have happened, takes the name of the thing. */
function withThing(way: Way, { tool = null, arguments: args = null }: Asked): Way {
  const thing = thingNamed({ tool, arguments: args })
  const words = `${way.words[0]} ${thing}`
  return {
    ...way,
    rest: thing,
    reply: rest =>
      rest.toLowerCase() === thing.toLowerCase()
        ? { do: 'approve' }
        : { do: 'unclear', problem: `Type ${words} for that.` },
  }
}

/** The possible answers and their meaning: one line each. */
export function offered(asked: Asked): [words: string, meaning: string][] {
  const { kind, choices, laterOnly = false } = asked
  if (laterOnly) return [['later', LATER.meaning]]
  const slash = ANSWERED.includes(kind) ? '/' : ''
  const ways = waysOf(asked).map(({ words: [word], rest, meaning }): [string, string] => [
    `${slash}${word}${rest === '' ? '' : ` ${rest}`}`,
    meaning,
  ])
  if (!ANSWERED.includes(kind)) return ways
  const numbered = choices?.map((choice, index): [string, string] => [`${index + 1}`, choice])
  return [...(numbered ?? [['TEXT', 'your answer'] as [string, string]]), ...ways]
}

/** The words that are offered, in a line. */
export function prompt(asked: Asked): string {
  const words = offered(asked).map(([word]) => word.split(' ')[0])
  return `${[words.slice(0, -1).join(', '), words.at(-1)].filter(part => part !== '').join(' or ')}? `
}

/** Nothing is preselected, so an empty line is no reply. */
export function readReply(asked: Asked, line: string): Reply {
  const text = line.trim()
  const [, slash = '', word = '', rest = ''] = /^(\/?)(\S*)\s*(.*)$/su.exec(text) ?? []
  const isAnswer = ANSWERED.includes(asked.kind) && slash === ''
  if (text === '') return { do: 'unclear', problem: 'Nothing was typed, so nothing was decided.' }
  if (asked.laterOnly && !LATER.words.includes(text.replace('/', '')))
    return { do: 'unclear', problem: 'You may not decide this. Type later.' }
  if (asked.laterOnly) return { do: 'later' }
  if (isAnswer) return { do: 'answer', text: chosen(asked, text) }
  const way = waysOf(asked).find(({ words }) => words.includes(word.toLowerCase()))
  return way?.reply(rest.trim()) ?? { do: 'unclear', problem: `${JSON.stringify(text)} is none of these.` }
}

/** A number chooses a choice, unless a choice is that number. */
function chosen({ choices }: Asked, text: string): string {
  const byNumber = /^\d{1,3}$/.test(text) && !choices?.includes(text) ? choices?.[Number(text) - 1] : undefined
  return byNumber ?? text
}

function alone(reply: Reply, word: string): Way['reply'] {
  return rest =>
    rest === '' ? reply : { do: 'unclear', problem: `More follows behind "${word}", so nothing was decided.` }
}

function rejected(reason: string): Reply {
  return { do: 'reject', reason: reason === '' ? null : reason }
}

/** JSON if it is any, else text. */
function responded(text: string): Reply {
  if (text === '') return { do: 'unclear', problem: 'It is not said what came of it; `null` is nothing.' }
  try {
    const { value, faults } = readFitting(text, {})
    return faults.length === 0 ? { do: 'respond', value } : { do: 'unclear', problem: faultsText(faults, 'result') }
  } catch {
    return { do: 'respond', value: text }
  }
}
