/** Slash commands about the session itself: its plan, what it cost, what its model reads, and a new one. */

import { messageTokens, textTokens } from '../../../core/context/count-tokens.ts'
import { sentMessages } from '../../../core/context/sent-messages.ts'
import { fold } from '../../../core/journal/fold.ts'
import type { Message } from '../../../core/journal/message.ts'
import type { Thread } from '../../../core/journal/thread.ts'
import { contentText } from '../../../core/message/part-words.ts'
import { newestPlan, planSummary } from '../../../core/plan/plan.ts'
import { compactionWords } from '../../../core/run/context/compaction.ts'
import { moneyText } from '../../../core/run/usage/money.ts'
import { systemPrompt } from '../../../core/settings/project-instructions.ts'
import { tokenText } from '../../../core/spending/spending.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { rowLines } from '../../display/show.ts'
import { sessionRefusals } from '../../refusals/session-refusals.ts'
import { line } from '../screen/flow.ts'
import { planRows } from '../transcript/plan-rows.ts'
import type { Deck, SlashCommand } from './deck.ts'

export const SESSION: readonly SlashCommand[] = [
  { name: 'plan', usage: '', does: 'the steps that the agent means to take, and how far it is', run: sayPlan },
  { name: 'cost', usage: '', does: 'the tokens of this session, and their price', run: sayCost },
  { name: 'context', usage: '', does: 'what the model reads with each request, and how large it is', run: sayContext },
  {
    name: 'compact',
    usage: '[WHAT TO KEEP]',
    does: 'fold the conversation into a summary before the model reads it again; all of it stays on record',
    run: compact,
  },
  {
    name: 'drop',
    usage: '[PLACE]',
    does: 'what can be left out of what the model reads; with its place, it is',
    run: async (deck, rest) =>
      deck.command(['context', 'drop', deck.conversation.sessionId, ...(rest === '' ? [] : [rest])]),
  },
  { name: 'clear', usage: '', does: 'go on in a new session with the same settings; the old one stays', run: clear },
]

async function sayPlan(deck: Deck): Promise<void> {
  const plan = newestPlan((await threadOf(deck))?.messages ?? [])
  if (plan === null) throw sessionRefusals.noPlan()
  deck.print([line(''), line(`Plan: ${planSummary(plan)}`, 'bold'), ...planRows(plan, deck.columns())])
}

/** `null` before the first message. */
async function threadOf(deck: Deck): Promise<Thread | null> {
  const events = await deck.events()
  return events.length === 0 ? null : fold(deck.conversation.sessionId, events)
}

const LONGEST_MODEL = 28
const COST_HEAD = ['model', 'requests', 'in', 'out', 'cached', 'cost']

async function sayCost({ spending, prices, print }: Deck): Promise<void> {
  const models = spending.byModel(prices())
  if (models.length === 0) throw sessionRefusals.nothingSpent()
  const rows = models.map(({ model, requests, usage, cost }) => [
    ...[shortened(visibleLine(model), LONGEST_MODEL), requests, usage.input_tokens, usage.output_tokens].map(toText),
    toText(usage.cached_input_tokens ?? 0),
    cost === null ? '-' : moneyText(cost),
  ])
  const cost = spending.cost(prices())
  const sum = `In all ${toText(spending.tokens)} tokens${cost === null ? '' : `, ${moneyText(cost)}`}.`
  const hint = 'Prices are set as `prices` in the settings: dollars for a million tokens.'
  const [head = '', ...lines] = rowLines([COST_HEAD, ...rows])
  print([
    line(''),
    line(`  ${head}`, 'dim'),
    ...lines.map(text => line(`  ${text}`)),
    line(`  ${sum}`, 'bold'),
    ...(cost === null ? [line(`  ${hint}`, 'dim')] : []),
  ])
}

function toText(value: string | number): string {
  return typeof value === 'number' ? value.toLocaleString('en-US') : value
}

function promptOf({ run }: Pick<Thread, 'run'>): string {
  return (run && systemPrompt(run.profile)) ?? ''
}

/** How many large results are named. */
const MOST_NAMED = 3

async function sayContext(deck: Deck): Promise<void> {
  const thread = await threadOf(deck)
  if (thread === null) throw sessionRefusals.nothingSpent()
  const events = await deck.events()
  const last = events.findLast(({ kind }) => kind === 'model.answered')
  const usage = last?.kind === 'model.answered' ? last.data.usage : null
  const { messages } = sentMessages(thread.messages, { compactions: thread.context.compactions, repairs: [] })
  const instructions = textTokens(promptOf(thread))
  const estimated = last?.kind === 'model.answered' ? last.data.estimated : undefined
  const beside = estimated === undefined ? null : estimated - instructions - sentBefore(messages)
  const parts = [
    { name: 'instructions', count: '', tokens: instructions },
    ...(beside === null ? [] : [{ name: 'tools', count: '', tokens: Math.max(0, beside) }]),
    ...KINDS.map(({ name, role }) => {
      const tokens = messages.filter(message => message.role === role).map(messageTokens)
      return { name, count: `${tokens.length}`, tokens: tokens.reduce((sum, each) => sum + each, 0) }
    }),
  ]
  const window = windowOf(thread)
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const free = window === null ? [] : [{ name: 'free', count: '', tokens: Math.max(0, window - all) }]
  const rows = [...parts, ...free].map(({ name, count, tokens }) => [
    ...[name, count, `~${tokenText(tokens)}`],
    barOf(tokens / Math.max(1, window ?? all)),
  ])
  const folded = thread.context.compactions.at(-1)
  const results = thread.messages
    .flatMap(message => (message.role === 'tool' ? [{ ...message, text: textOf(message) }] : []))
    .toSorted((one, two) => two.text.length - one.text.length)
    .slice(0, MOST_NAMED)
  const largest = results.map(({ tool_call_id, tool_name, text }) =>
    visibleLine(`${tool_call_id} ${tool_name} ${about(text)}`),
  )
  deck.print([
    line(''),
    ...(usage ? [line(`  The last request had ${toText(usage.input_tokens)} tokens of input.`, 'bold')] : []),
    ...rowLines(rows).map(text => line(`  ${text}`)),
    ...(folded ? [line(`  ${compactionWords(folded)}`)] : []),
    ...(largest.length > 0 ? [line(`  Largest results: ${largest.join(', ')}`, 'dim')] : []),
    line('  ~: an estimate of what is sent. /compact folds the conversation into a summary.', 'dim'),
  ])
}

/** The tokens of the messages that the newest request had: those before its answer. */
function sentBefore(messages: readonly Message[]): number {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(0, answer).reduce((sum, message) => sum + messageTokens(message), 0)
}

/** As set, or as the provider said. */
function windowOf({ run, context }: Thread): number | null {
  return run?.profile.context?.window ?? [...context.windows.values()].at(-1) ?? null
}

const BAR = 20

function barOf(share: number): string {
  return '█'.repeat(Math.round(BAR * Math.min(1, share)))
}

const KINDS: readonly { readonly name: string; readonly role: Message['role'] }[] = [
  { name: 'messages of people', role: 'user' },
  { name: 'answers and calls', role: 'assistant' },
  { name: 'results of calls', role: 'tool' },
]

/** As it is sent, near enough to be counted. */
function textOf(message: Message): string {
  if (message.role === 'assistant') return JSON.stringify([message.content, message.tool_calls])
  if (message.role === 'user') return contentText(message.content)
  return typeof message.content === 'string' ? message.content : JSON.stringify(message.content)
}

const CHARACTERS_A_TOKEN = 4

function about(text: string): string {
  return `~${tokenText(Math.ceil(text.length / CHARACTERS_A_TOKEN))}`
}

async function compact({ conversation, events }: Deck, rest: string): Promise<void> {
  if ((await events()).length === 0) throw sessionRefusals.nothingSaid()
  await conversation.compact(rest === '' ? null : rest)
}

async function clear(deck: Deck): Promise<void> {
  const { conversation } = deck
  if (conversation.isOfAgent) throw sessionRefusals.oneSessionAlone()
  if (conversation.presence().work === 'here') throw sessionRefusals.stillRuns()
  if ((await deck.events()).length === 0) throw sessionRefusals.nothingSaid()
  deck.leave({ to: 'new' })
}
