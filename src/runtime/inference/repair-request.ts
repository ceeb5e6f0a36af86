/** P12: a request that a provider refused is repaired, as an event, and asked again by whoever advances the run next. */
import { type Sent, sentMessages } from '../../core/context/sent-messages.ts'
import { isModelError, ModelError } from '../../core/errors.ts'
import { chooseRepair, labelOf, namedWords, partsOf, type RefusedRequest } from '../../core/repair/choose-repair.ts'
import { type Refusal, refusalIn } from '../../core/repair/refusal.ts'
import { shiftedPart, shiftedRepair } from '../../core/repair/repaired-messages.ts'
import {
  type ContextRepair,
  EVERY_PROVIDER,
  isOfRefusal,
  MOST_REPAIRS,
  providerOf,
  toolWords,
} from '../../core/run/repair/context-repair.ts'
import { canonicalJson } from '../../core/text/json.ts'
import type { Model, ToolSpec } from '../../ports/agent/model.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import { shownMessages } from '../session/hook-view.ts'
import type { RunSession } from '../session/run-session.ts'

type Repairing = Pick<RunSession, 'thread' | 'run' | 'runtime' | 'agent' | 'stage'>

/** What the provider of a model is sent of the conversation and the tools. */
export function sentTo(
  session: Pick<Repairing, 'thread' | 'runtime'>,
  model: Model,
  tools: readonly ToolSpec[],
): Sent & { readonly tools: readonly ToolSpec[] } {
  const { compactions } = session.thread.context
  const repairs = repairsFor(session, model)
  return {
    ...sentMessages(shownMessages(session.thread), { compactions, repairs }),
    tools: tools.filter(tool => !repairs.some(({ what }) => leavesOut(session, what, tool))),
  }
}

/** What does not fit a model is fitted by the model itself. */
export function repairsFor(session: Pick<Repairing, 'thread'>, model: Model): readonly ContextRepair[] {
  return recordedFor(session, model).filter(isOfRefusal)
}

function recordedFor({ thread }: Pick<Repairing, 'thread'>, { id }: Model): readonly ContextRepair[] {
  const provider = providerOf(id)
  return thread.repairs.filter(repair => [provider, EVERY_PROVIDER].includes(repair.provider))
}

function leavesOut(session: Pick<Repairing, 'runtime'>, what: ContextRepair['what'], tool: ToolSpec): boolean {
  return what.type === 'tool' && what.name === tool.name && what.digest === digestOf(session, tool)
}

/** A tool with another schema is offered again. */
function digestOf({ runtime }: Pick<Repairing, 'runtime'>, { inputSchema }: ToolSpec): string {
  return runtime.ids.digest(canonicalJson(inputSchema))
}

/** Records what the model's provider takes in no form: tools once in a run, images and files once in a thread. */
export async function recordUnfit(session: Repairing, parameters: InferenceParameters): Promise<void> {
  const model = await (await session.agent()).model(parameters.model)
  for (const repair of [...unfitTools(session, model, parameters.tools), ...unreadParts(session, model)])
    session.stage('context.repaired', { provider: providerOf(model.id), because: 'unfit', ...repair })
}

type Unfit = Pick<ContextRepair, 'what' | 'label' | 'why'>

function unfitTools(session: Repairing, model: Model, tools: readonly ToolSpec[]): Unfit[] {
  const provider = providerOf(model.id)
  const known = new Set(session.run.repairs.map(repair => `${repair.provider} ${repair.label}`))
  return (model.unfit?.(tools) ?? []).flatMap(({ tool: name, why }): Unfit[] => {
    const label = toolWords(name)
    const spec = tools.find(tool => tool.name === name)
    if (!spec || known.has(`${provider} ${label}`)) return []
    return [{ what: { type: 'tool', name, digest: digestOf(session, spec) }, label, why }]
  })
}

function unreadParts(session: Repairing, model: Model): Unfit[] {
  const { messages } = session.thread
  const among = sentTo(session, model, []).messages.flatMap(partsOf)
  const known = new Set(
    recordedFor(session, model).map(({ what }) => (what.type === 'part' ? `${what.message} ${what.part}` : '')),
  )
  return messages.flatMap((message, place) =>
    partsOf(message).flatMap((part, index): Unfit[] => {
      const why = model.unread?.(part, among) ?? null
      if (why === null || known.has(`${place} ${index}`)) return []
      const what = { type: 'part', message: place, part: index } as const
      return [{ what, label: labelOf(what, messages), why }]
    }),
  )
}

/** Stages what is left out of the next request. @throws what was thrown, in words of the thread, if nothing would help */
export async function repairRequest(
  session: Repairing,
  thrown: unknown,
  parameters: InferenceParameters,
): Promise<void> {
  const refusal = isModelError(thrown) ? refusalIn(thrown.details) : null
  if (!isModelError(thrown) || refusal === null) throw thrown
  const model = await (await session.agent()).model(parameters.model)
  const { offset, ...request } = refusedRequest(session, model, parameters.tools)
  const choice = session.run.repaired < MOST_REPAIRS ? chooseRepair(refusal, request) : null
  if (choice === null) throw explained(thrown, refusal, namedWords(refusal, request))
  const { about: because, words: why } = refusal
  const what = shiftedPart(choice.what, offset)
  session.stage('context.repaired', { provider: providerOf(model.id), because, why, ...choice, what })
}

/** With places in what was sent, which are `offset` less than in the thread. */
function refusedRequest(
  session: Repairing,
  model: Model,
  offered: readonly ToolSpec[],
): RefusedRequest & Pick<Sent, 'offset'> {
  const { messages, offset, tools } = sentTo(session, model, offered)
  return {
    offset,
    messages,
    repairs: recordedFor(session, model).map(repair => shiftedRepair(repair, -offset)),
    tries: session.run.repaired,
    accepted: (session.thread.accepted.get(providerOf(model.id)) ?? 0) - offset,
    digestOf(name) {
      const tool = tools.find(each => each.name === name)
      return tool ? digestOf(session, tool) : null
    },
  }
}

const HINTS: Partial<Record<Refusal['about'], string>> = {
  overflow:
    'The conversation is longer than this model reads: `/compact` in a chat shortens it, and a model with a larger window may take it.',
}

const USUAL_HINT =
  'Leave out the part that it is about (`/drop` in a chat, or `context drop`). Another model may take it, or a fork from an earlier checkpoint.'

function explained(thrown: ModelError, { about }: Refusal, named: string | null): ModelError {
  const { code, message, retryable, cause, details } = thrown
  const what = named === null ? '' : ` It is about ${named}.`
  return new ModelError(code, `${message}${what}`, { retryable, hint: HINTS[about] ?? USUAL_HINT, cause, details })
}
