/** P12: a request that a provider refused is repaired, as an event, and asked again by whoever advances the run next. */
import { isModelError, ModelError } from '../../core/errors.ts'
import type { Message } from '../../core/journal/message.ts'
import { chooseRepair, namedWords, type RefusedRequest } from '../../core/repair/choose-repair.ts'
import { type Refusal, refusalIn } from '../../core/repair/refusal.ts'
import { repairedMessages } from '../../core/repair/repaired-messages.ts'
import { type ContextRepair, MOST_REPAIRS, providerOf, toolWords } from '../../core/run/repair/context-repair.ts'
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
): { readonly messages: Message[]; readonly tools: readonly ToolSpec[] } {
  const repairs = repairsFor(session, model)
  return {
    messages: [...repairedMessages(shownMessages(session.thread), repairs)],
    tools: tools.filter(tool => !repairs.some(({ what }) => leavesOut(session, what, tool))),
  }
}

function repairsFor({ thread }: Pick<Repairing, 'thread'>, { id }: Model): readonly ContextRepair[] {
  const provider = providerOf(id)
  return thread.repairs.filter(repair => repair.provider === provider && repair.because !== 'unfit')
}

function leavesOut(session: Pick<Repairing, 'runtime'>, what: ContextRepair['what'], tool: ToolSpec): boolean {
  return what.type === 'tool' && what.name === tool.name && what.digest === digestOf(session, tool)
}

/** A tool with another schema is offered again. */
function digestOf({ runtime }: Pick<Repairing, 'runtime'>, { inputSchema }: ToolSpec): string {
  return runtime.ids.digest(canonicalJson(inputSchema))
}

/** Records the tools that the model's provider takes in no form, once in a run. */
export async function recordUnfit(session: Repairing, parameters: InferenceParameters): Promise<void> {
  const model = await (await session.agent()).model(parameters.model)
  const provider = providerOf(model.id)
  const known = new Set(session.run.repairs.map(repair => `${repair.provider} ${repair.label}`))
  for (const { tool: name, why } of model.unfit?.(parameters.tools) ?? []) {
    const label = toolWords(name)
    const spec = parameters.tools.find(tool => tool.name === name)
    if (!spec || known.has(`${provider} ${label}`)) continue
    const what = { type: 'tool', name, digest: digestOf(session, spec) } as const
    session.stage('context.repaired', { provider, because: 'unfit', what, label, why })
  }
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
  const request = refusedRequest(session, model, parameters.tools)
  const choice = session.run.repaired < MOST_REPAIRS ? chooseRepair(refusal, request) : null
  if (choice === null) throw explained(thrown, refusal, namedWords(refusal, request))
  const { about: because, words: why } = refusal
  session.stage('context.repaired', { provider: providerOf(model.id), because, why, ...choice })
}

function refusedRequest(session: Repairing, model: Model, offered: readonly ToolSpec[]): RefusedRequest {
  const { messages, tools } = sentTo(session, model, offered)
  return {
    messages,
    repairs: repairsFor(session, model),
    accepted: session.thread.accepted.get(providerOf(model.id)) ?? 0,
    digestOf(name) {
      const tool = tools.find(each => each.name === name)
      return tool ? digestOf(session, tool) : null
    },
  }
}

const HINTS: Partial<Record<Refusal['about'], string>> = {
  overflow: 'The conversation is longer than this model reads: one with a larger window may take it.',
}

const USUAL_HINT = 'Another model may take it, or a fork from an earlier checkpoint of the conversation.'

function explained(thrown: ModelError, { about }: Refusal, named: string | null): ModelError {
  const { code, message, retryable, cause, details } = thrown
  const what = named === null ? '' : ` It is about ${named}.`
  return new ModelError(code, `${message}${what}`, { retryable, hint: HINTS[about] ?? USUAL_HINT, cause, details })
}
