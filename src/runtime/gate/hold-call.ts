import { calledBefore } from '../../core/doubt/called-before.ts'
import type { StartedWork } from '../../core/doubt/started-work.ts'
import { type NewHold, type RefusedBefore, type ResumeMode, USUAL_RESUME_MODE } from '../../core/hold/hold.ts'
import type { Run } from '../../core/journal/thread.ts'
import type { Deciders } from '../../core/people/deciders.ts'
import { plain } from '../../core/plain/plain.ts'
import { notAskedWords } from '../../core/policy/refused-words.ts'
import type { Preview } from '../../core/preview/preview.ts'
import type { CallError, FittedArguments, ToolCall } from '../../core/run/tool-call.ts'
import { isSameJson, type Json, type JsonObject } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { boundSchema } from '../definitions/bound-schema.ts'
import { callDigest, digestNow, fittingDigests } from '../definitions/call-digest.ts'
import type { Gated, GateSession } from './gate-session.ts'
import { actOf } from './hold-act.ts'
import { askedOfPeople } from './hold-terms.ts'
import { ownPreview, previewFor } from './preview-call.ts'

export interface WhyHeld {
  readonly because: string
  readonly plugin: string | null
  /** The real place that the call leads to, if its arguments name one. */
  readonly leads_to?: string
}

export interface Suspending {
  readonly call: ToolCall
  /** `null` if the tool no longer exists. */
  readonly tool: Tool | null
  /** The last known schema, if the tool is gone. If the tool returns unchanged, the approval still fits. */
  readonly lastSchema?: JsonObject | null
  /** The deciders of the hold before, who still may decide alone (P1). */
  readonly lastDeciders?: Deciders | null
  /** People who edited the call to do more than was asked: another person decides (P1). */
  readonly editors?: readonly string[]
  /** If the model insists on it: how it was refused before. */
  readonly refused?: RefusedBefore
  readonly request: Omit<SuspendRequest, 'kind'> & { readonly kind?: NewHold['kind'] }
  readonly why: WhyHeld
  /** Set for a call in doubt. */
  readonly started?: StartedWork
  /** What it deletes, or where it leads beyond this machine. Default: nothing is known. */
  readonly reaches?: readonly string[]
}

/** Stages the hold of a call, or its refusal if no person can be asked. The run gates approvals and questions. */
export async function holdCall(session: GateSession, suspending: Suspending): Promise<void> {
  const { call } = suspending
  if (!pausesForCall(session, suspending)) return deny(session, call, nobodyAsked(suspending))
  const hold = await holdOf(session, suspending, kindOf(suspending.request))
  const { preview: own, basis = null } = suspending.request
  const preview = own ? await ownPreview(session, own, basis) : await previewFor(session, suspending, hold)
  const why = { ...suspending.why, ...filledIn(session.run, call) }
  if (preview === null) session.stageHold(hold, why)
  else session.stageHold(withPreview(session.runtime.ids, hold, preview), { ...why, bare_digest: hold.digest })
}

/** The refusal of a call that would be held if the run paused for it. */
export function nobodyAsked({ request, why }: Pick<Suspending, 'request' | 'why'>): CallError {
  const asking = needsAnswer(kindOf(request)) ? 'questions' : 'approval'
  return { code: 'TOOL_CALL_FORBIDDEN', message: notAskedWords(why.because, asking) }
}

/** True if the call is held; without it, the call is refused. */
export function pausesForCall(session: GateSession, { request }: Suspending): boolean {
  const kind = kindOf(request)
  return session.pausesFor(needsAnswer(kind) ? 'question' : 'approval') || kind === 'in_doubt'
}

/** Holds that need an answer, from a person or a program, count as questions. */
function needsAnswer(kind: NewHold['kind']): boolean {
  return kind === 'question' || kind === 'client_tool'
}

/** The arguments as they would run, and the schema that made them so, if the journal does not say so yet. */
export function filledIn(run: Run, { id, final_arguments: args, fitted = null }: ToolCall): FittedArguments {
  const call = run.step?.calls.get(id)
  const known = call?.final_arguments ?? ''
  const isKnown = typeof known !== 'string' && typeof args !== 'string' && isSameJson(known, args)
  return {
    ...(!isKnown && typeof args !== 'string' && { arguments: args }),
    ...(fitted !== null && fitted !== call?.fitted && { fitted }),
  }
}

export function deny(session: Pick<GateSession, 'stage'>, { id }: ToolCall, error: CallError): void {
  session.stage('call.finished', { call_id: id, status: 'failed', output: null, error })
}

interface Releasable extends Gated {
  /** The digest of the preview that was shown. Default: there was none. */
  readonly preview?: string | null
}

/** P9: the digest that an approval of this call would release now. */
export function digestOf(ids: Ids, { call, tool, preview = null }: Releasable): string {
  return digestNow(ids, { arguments: call.final_arguments, tool, preview })
}

/** The digests by which such an approval may have been given. */
export function digestsOf(ids: Ids, { call, tool, preview = null }: Releasable): readonly (string | null)[] {
  return fittingDigests(ids, { arguments: call.final_arguments, tool, preview })
}

/** P9: an approval is of what was shown, too. */
function withPreview(ids: Ids, hold: HeldCall, preview: Preview): NewHold {
  const { tool: name, arguments: args, tool_schema: schema } = hold
  const digest = callDigest(ids, { name, arguments: args, schema, preview: preview.digest })
  return { ...hold, digest, preview }
}

function kindOf({ kind, choices, responseSchema }: Suspending['request']): NewHold['kind'] {
  return kind ?? (choices || responseSchema ? 'question' : 'approval')
}

type HeldCall = NewHold & Record<'tool' | 'digest', string>

async function holdOf(session: GateSession, suspending: Suspending, kind: NewHold['kind']): Promise<HeldCall> {
  const { call, tool, request, lastSchema = null, lastDeciders = null, editors = [], reaches = [] } = suspending
  const last = lastDeciders && { deciders: lastDeciders }
  const before = knownBefore(session, suspending)
  const never = kind === 'approval' && request.overridesNever ? { overrides_never: true as const } : {}
  const schema = tool ? boundSchema(tool) : lastSchema
  const mode = request.resumeMode ?? ownMode(kind, tool)
  return {
    id: session.runtime.ids.next('hold'),
    kind,
    run_id: session.run.id,
    call_id: call.id,
    tool: call.name,
    arguments: call.final_arguments,
    digest: callDigest(session.runtime.ids, { name: call.name, arguments: call.final_arguments, schema }),
    message: request.message,
    context: plain(request.context ?? null),
    ...((request.basis ?? null) !== null && { basis: plain(request.basis as Json) }),
    choices: request.choices ?? null,
    response_schema: request.responseSchema ?? null,
    resume_mode: modeFor(session, call, mode),
    tool_schema: schema,
    ...never,
    ...before,
    ...actOf({ kind, call, tool, risk: request.risk, overrides: { ...never, ...before }, reaches }),
    ...askedOfOthers({ ...(await askedOfPeople(session, { kind, tool, request })), ...last }, editors),
  }
}

type Asked = Pick<NewHold, 'deciders' | 'requesters'>

/** An edited call is asked for by its editors as well. */
function askedOfOthers<Terms extends Asked>(terms: Terms, editors: readonly string[]): Terms {
  if (editors.length === 0) return terms
  const deciders = terms.deciders ?? { people: null, not_requester: false, quorum: 1 }
  const requesters = deciders.not_requester ? terms.requesters : []
  // While the requesters are unknown, nobody is known to be another one.
  const isUnknown = deciders.not_requester && requesters.length === 0
  return {
    ...terms,
    deciders: { ...deciders, not_requester: true },
    requesters: isUnknown ? [] : [...requesters, ...editors],
  }
}

type Known = Pick<NewHold, 'called_before' | 'refused_before' | 'started'>

function knownBefore({ thread }: GateSession, { call, refused, started }: Suspending): Known {
  const called_before = calledBefore(thread.ended, call)
  return {
    ...(called_before.length > 0 && { called_before }),
    ...(refused && { refused_before: refused }),
    ...(started && { started }),
  }
}

/** P1: only a call that had begun goes on when people refuse to answer. */
function modeFor({ run }: GateSession, { id }: ToolCall, mode: ResumeMode): ResumeMode {
  const hasBegun = (run.step?.calls.get(id)?.attempt ?? 0) > 0
  return mode === 'continue_call' && !hasBegun ? 'pass_decision_to_tool' : mode
}

function ownMode(kind: NewHold['kind'], tool: Tool | null): ResumeMode {
  return (kind === 'in_doubt' ? undefined : tool?.resumeMode) ?? USUAL_RESUME_MODE[kind]
}
