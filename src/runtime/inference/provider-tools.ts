/** P1: a provider runs its own tools without asking. They are offered, and their calls count, as the policy says. */
import { keptParts } from '../../core/message/answer-parts.ts'
import type { AnswerPart, ProviderCallPart } from '../../core/message/part.ts'
import { callWords } from '../../core/message/part-words.ts'
import { permittedOptions, providerRuling, ruledName } from '../../core/policy/provider-tools.ts'
import { isNever } from '../../core/policy/refused-words.ts'
import type { Termination } from '../../core/run/termination.ts'
import { isJsonObject } from '../../core/text/json.ts'
import { cutText } from '../../core/text/kept-text.ts'
import type { ModelAnswer } from '../../ports/agent/model.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import type { RunSession } from '../session/run-session.ts'
import { limitsOf } from '../views/message-content.ts'

type Ruling = Pick<RunSession, 'run' | 'runtime' | 'stage'>

/** The parameters with those tools of the provider alone that the policy of the run permits. */
export function offeredBy({ run }: Pick<Ruling, 'run'>, parameters: InferenceParameters): InferenceParameters {
  return permittedOptions(run.profile.policy, parameters).options
}

/** Records, once in a run, which tools of the provider its model is not offered. */
export function recordNotOffered(session: Ruling, parameters: InferenceParameters): void {
  const { run } = session
  for (const [name, rule] of permittedOptions(run.profile.policy, parameters).left_out)
    if (!run.left_out.has(name))
      session.stage('note', { about: 'policy', message: `The model is not offered ${name}: ${rule}.`, left_out: name })
}

/** An answer with what the policy says of each call in it that the provider ran. */
export interface RuledAnswer {
  readonly answer: ModelAnswer
  /** The end of the run, if the policy says never to one of them. */
  readonly end: Termination | null
}

const LONGEST = 300

export function ruledAnswer({ run, runtime }: Ruling, answer: ModelAnswer): RuledAnswer {
  if (!answer.parts) return { answer, end: null }
  const { parts: kept, lost } = keptParts(answer.parts, limitsOf(runtime))
  const parts = kept.map(part => (part.type === 'provider_call' ? ruled(part, run.profile.policy) : part))
  const unpermitted = parts.filter(isUnpermitted)
  const told = unpermitted.map(part => cutText(`${callWords(part)}: ${part.rule}`, LONGEST))
  const warnings = [...(answer.warnings ?? []), ...lost, ...told]
  const forbidden = unpermitted.find(({ rule = '' }) => isNever(rule))
  return {
    answer: { ...answer, parts, ...(warnings.length > 0 && { warnings }) },
    end: forbidden ? endBy(forbidden) : null,
  }
}

function ruled(call: ProviderCallPart, policy: RunSession['run']['profile']['policy']): ProviderCallPart {
  const args = isJsonObject(call.arguments) ? call.arguments : {}
  const { verdict, rule } = providerRuling(policy, ruledName(call), args)
  return { ...call, permitted: verdict === 'auto', rule }
}

function isUnpermitted(part: AnswerPart): part is ProviderCallPart {
  return part.type === 'provider_call' && part.permitted === false
}

function endBy(call: ProviderCallPart): Termination {
  const name = ruledName(call)
  return {
    type: 'error',
    code: 'provider_call_forbidden',
    message: `The provider of the model ran ${name}, to which the policy says never (${call.rule}).`,
    hint: 'It has happened, and is on record. Take the tool out of the settings of the model or of the provider, or change the policy.',
    retryable: false,
  }
}
