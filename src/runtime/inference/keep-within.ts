/** Keeps requests within the window of their model. What is left out is an event, so that every process sends the same. */
import { carriedText } from '../../core/context/carried.ts'
import {
  type Conversation,
  OLD_RESULTS_KEEP,
  planCompaction,
  planFold,
  type Room,
  type Step,
  sizeOf,
  withCompaction,
} from '../../core/context/plan-compaction.ts'
import { sentMessages } from '../../core/context/sent-messages.ts'
import { isModelError } from '../../core/errors.ts'
import { refusalIn } from '../../core/repair/refusal.ts'
import { READ_RESULT } from '../../core/repair/shorten-result.ts'
import type { Compaction, RefusedLength, RequestedCompaction } from '../../core/run/context/compaction.ts'
import { foldedTo } from '../../core/run/context/compaction.ts'
import { countedBy, ratioFor } from '../../core/run/context/counted.ts'
import type { Model } from '../../ports/agent/model.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import { besideTokens, requestTokens, roomOf, windowFor } from '../context/window.ts'
import { shownMessages } from '../session/hook-view.ts'
import type { RunSession } from '../session/run-session.ts'
import { toolSpec } from './ask-model.ts'
import { repairsFor, sentTo } from './repair-request.ts'
import { summarize } from './summarize.ts'

/** The next request of a run, measured. */
interface Measured {
  readonly session: RunSession
  readonly model: Model
  readonly window: number
  readonly room: Room
}

/**
 * Stages what makes the next request short enough; nothing if it is, or if nobody knows the window. The parameters of
 * the request: once something is shortened, they have the tool that reads it, as those of every later process do.
 */
export async function keepWithin(session: RunSession, parameters: InferenceParameters): Promise<InferenceParameters> {
  const agent = await session.agent()
  const model = await agent.model(parameters.model)
  const window = windowFor(session, model)
  const { requested } = session.thread.context
  if (window === null && requested === null) return parameters
  const measured = measure(session, { model, window: window ?? ASSUMED_WINDOW, parameters })
  if (requested) await compactAsked(measured, requested)
  else if (sizeOf(conversationOf(measured), measured.room) > measured.room.limit) await compact(measured)
  const reader = agent.tools.has(READ_RESULT) ? undefined : (await session.agent()).tools.get(READ_RESULT)
  return reader ? { ...parameters, tools: [...parameters.tools, toolSpec(reader)] } : parameters
}

/** Of a model of which nobody knows how much it reads: what a summary is made for. */
const ASSUMED_WINDOW = 100_000

function measure(session: RunSession, request: Request): Measured {
  return { session, ...request, room: roomFor(session, request) }
}

/** All but the newest step, however short it is. */
async function compactAsked(measured: Measured, { by, keep }: RequestedCompaction): Promise<void> {
  const to = planFold(conversationOf(measured), measured.room)
  if (to !== null) await foldTo(measured, to, { by, keep })
}

/** True if the request was too long for its provider, and the next one is shorter. Once for each request. */
export async function shortenRefused(
  session: RunSession,
  thrown: unknown,
  parameters: InferenceParameters,
): Promise<boolean> {
  const refusal = isModelError(thrown) ? refusalIn(thrown.details) : null
  if (refusal?.about !== 'overflow' || session.thread.context.refused > 0) return false
  const model = await (await session.agent()).model(parameters.model)
  const window = refusal.window ?? windowFor(session, model)
  if (window === null) return false
  const { messages, tools } = sentTo(session, model, parameters.tools)
  const estimated = requestTokens({ messages: [...messages], tools, system: parameters.system })
  const sent = refusal.sent ?? Math.ceil(window * SURELY_MORE)
  const refused = { model: model.id, window: refusal.window ?? null, sent, estimated }
  const counted = countedBy(session.thread.context.counted, { model: model.id, estimated, tokens: sent })
  const room = { ...roomFor(session, { model, window, parameters }), ratio: ratioFor(counted, model.id) }
  return compact({ session, model, window, room }, { refused })
}

/** A refused request had more than the window, by an unknown number. */
const SURELY_MORE = 1.05

interface Request {
  readonly model: Model
  readonly window: number
  readonly parameters: InferenceParameters
}

function roomFor(session: RunSession, { model, window, parameters }: Request): Room {
  const { system, maxOutputTokens } = parameters
  const { tools } = sentTo(session, model, parameters.tools)
  return roomOf(session, model, {
    window,
    overhead: besideTokens({ system, tools }),
    maxOutput: maxOutputTokens ?? 0,
  })
}

function conversationOf({ session, model }: Pick<Measured, 'session' | 'model'>): Conversation {
  const { thread } = session
  return {
    messages: shownMessages(thread),
    compactions: thread.context.compactions,
    repairs: repairsFor(session, model),
  }
}

interface Why {
  readonly refused?: RefusedLength
  /** The person who asked for it, and what they want to be kept. */
  readonly by?: string
  readonly keep?: string | null
}

/** False if nothing can be made shorter. */
async function compact(measured: Measured, why: Why = {}): Promise<boolean> {
  const plan = planCompaction(conversationOf(measured), measured.room)
  if (plan === null) return false
  if (plan.newest) stageStep(measured, plan.newest, why)
  const first = plan.newest ? {} : why
  if (plan.foldTo !== null) await foldTo(measured, plan.foldTo, first)
  else if (plan.results) stageStep(measured, plan.results, first)
  return true
}

type Told = Partial<Pick<Compaction, 'refused' | 'failed' | 'by'>>

function stageStep(measured: Measured, step: Step, told: Told): void {
  stage(measured, { ...step, ...told, summary: null })
}

function stage(measured: Measured, made: Omit<Compaction, 'tokens_before' | 'tokens_after'>): void {
  const before = conversationOf(measured)
  const tokens_before = sizeOf(before, measured.room)
  const after = withCompaction(before, { ...made, tokens_before, tokens_after: 0 })
  measured.session.stage('context.compacted', { ...made, tokens_before, tokens_after: sizeOf(after, measured.room) })
}

/** How many more messages there must be before a summary is tried again, and the share of the window that is full. */
const [PATIENCE, FULL] = [8, 0.95]

/** A summary in the place of all before `to`. Without one, the results in it are shortened; if need be, it goes as it is. */
async function foldTo(measured: Measured, to: number, { keep = null, ...why }: Why): Promise<void> {
  const { session, window, room } = measured
  const { compactions } = session.thread.context
  const failedBefore = compactions.findLast(({ failed }) => failed !== undefined)
  const isTooEarly =
    why.by === undefined &&
    failedBefore !== undefined &&
    failedBefore.what === 'results' &&
    to - failedBefore.to < PATIENCE
  const made = isTooEarly ? { failed: failedBefore.failed ?? '' } : await summaryOf(measured, to, keep)
  const carried = carriedTo(measured, to)
  if (!('failed' in made)) return stage(measured, { ...made, ...why, from: 0, to, what: 'messages', carried })
  const results = { from: foldedTo(compactions), to, what: 'results', keep: OLD_RESULTS_KEEP } as const
  const told = isTooEarly ? why : { ...why, ...made }
  stageStep(measured, results, told)
  if (sizeOf(conversationOf(measured), room) <= window * FULL) return
  stage(measured, { ...made, from: 0, to, what: 'messages', summary: null, carried })
}

async function summaryOf(
  { session, model, window, room }: Measured,
  to: number,
  focus: string | null,
): ReturnType<typeof summarize> {
  // I2: another process finds what was staged if this one stops meanwhile.
  await session.flush()
  const { messages, offset } = sentMessages(shownMessages(session.thread), {
    compactions: session.thread.context.compactions,
    repairs: [],
  })
  return summarize(session, {
    messages: messages.slice(0, to - offset),
    model,
    window: window / room.ratio,
    focus,
  })
}

function carriedTo({ session, window, room }: Measured, to: number): string {
  const { thread, run } = session
  const { decided } = thread.context
  return carriedText({
    messages: shownMessages(thread),
    to,
    task: run.task,
    decided,
    ended: thread.ended,
    window: window / room.ratio,
  })
}
