/** The holds of a run as forms, and what came back as decisions. */
import type { ElicitRequestFormParams, InputRequest } from '@modelcontextprotocol/server'
import { RefusedError } from '../../../core/errors.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { formFor, saidIn } from '../ask-user/dialogue.ts'
import type { Filled } from '../ask-user/form.ts'
import { formText } from '../ask-user/form-text.ts'
import { objectionToAsking } from '../ask-user/objection-to-asking.ts'
import type { McpCall } from '../offer/mcp-tool.ts'
import { ELICITATION_SURFACE } from '../offer/offer.ts'
import type { RunDeps } from './run-deps.ts'

/** The shown holds of a run, sealed. */
export interface ShownRun {
  readonly run_id: string
  /** By hold id. */
  readonly holds: Readonly<Record<string, ShownHold>>
}

interface ShownHold {
  readonly digest: string | null
  /** An answer that arrives twice under this id is recorded once (P2). */
  readonly decision_id: string
}

/** The open holds that this person may be asked about; none if the client has no forms. */
export function askable(holds: readonly Hold[], { client, identity }: Pick<McpCall, 'client' | 'identity'>): Hold[] {
  return client.showsForms ? holds.filter(hold => objectionToAsking(hold, identity.person) === null) : []
}

/** A form for each hold, under its id. */
export async function formsFor(
  { asking: { onShow, visibleText }, sdk }: RunDeps,
  holds: readonly Hold[],
  person: string,
): Promise<Record<string, InputRequest>> {
  for (const hold of holds) await onShow(hold, person)
  const form = (hold: Hold): Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'> => ({
    message: formText(hold, { person, visibleText }),
    requestedSchema: formFor(hold),
  })
  return Object.fromEntries(holds.map(hold => [hold.id, sdk.inputRequired.elicit(form(hold))]))
}

export function shownRun({ running: { ids } }: RunDeps, run_id: string, holds: readonly Hold[]): ShownRun {
  const shown = ({ id, digest }: Hold) => [id, { digest, decision_id: ids.next('decision') }] as const
  return { run_id, holds: Object.fromEntries(holds.map(shown)) }
}

/** A person's answer to a form: a decision, one that cannot be recorded, or none. */
export type FormAnswered =
  | { readonly decision: DecisionInput }
  | { readonly refusal: RefusedError }
  | { readonly left: string }

/** Only answers to forms that were shown count. */
export async function answersTo(
  deps: RunDeps,
  { holds }: Pick<ShownRun, 'holds'>,
  call: AnsweredCall,
): Promise<readonly FormAnswered[]> {
  const shown = Object.entries(holds)
  return (await Promise.all(shown.map(([id, each]) => answerTo(deps, { id, shown: each }, call)))).flat()
}

export type AnsweredCall = Pick<McpCall, 'identity' | 'request'>

async function answerTo(
  { sdk, running: { holdpoint } }: RunDeps,
  { id, shown }: { readonly id: string; readonly shown: ShownHold },
  { request, identity }: AnsweredCall,
): Promise<FormAnswered[]> {
  const came = sdk.inputResponse(request.inputResponses, id)
  const hold = came.kind === 'elicit' ? await holdpoint.hold(id) : null
  if (hold === null || came.kind !== 'elicit') return []
  if (came.action !== 'accept') return [{ left: leftOpen(id, came.action) }]
  try {
    const said = saidIn(hold, (came.content ?? {}) as Filled)
    return [{ decision: { hold_id: id, ...said, ...shown, decided_by: identity.person, surface: ELICITATION_SURFACE } }]
  } catch (thrown) {
    if (thrown instanceof RefusedError) return [{ refusal: thrown }]
    throw thrown
  }
}

function leftOpen(id: string, action: 'decline' | 'cancel'): string {
  return `The user ${action === 'decline' ? 'declined' : 'dismissed'} the question. Nothing was recorded, and ${id} stays open.`
}
