import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { isOnRecord, type Receipt, receiptRefusal } from '../../../core/deciding/receipt.ts'
import { unknownHold } from '../../../core/deciding/unknown-hold.ts'
import { RefusedError } from '../../../core/errors.ts'
import { alreadyDecided } from '../../../core/hold/already-decided.ts'
import { HOLD_STATUSES, type Hold } from '../../../core/hold/hold.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import { complete, described, OBJECT, object, orNull, TEXT, text } from '../../../core/text/json-schema.ts'
import { listedAs, type McpCall, type McpTool } from '../offer/mcp-tool.ts'
import { type Asking, ELICITATION_SURFACE, type Sdk, type Seal } from '../offer/offer.ts'
import { toolResult } from '../offer/tool-result.ts'
import { formFor, saidIn } from './dialogue.ts'
import type { Filled } from './form.ts'
import { formText } from './form-text.ts'
import { objectionToAsking } from './objection-to-asking.ts'

/** The shown form, sealed. It travels through the client, which can neither make nor change one. */
interface Shown {
  readonly hold_id: string
  readonly digest: string | null
  /** An answer that arrives twice under this id is recorded once (P2). */
  readonly decision_id: string
}

const FORM = 'decision'

/**
 * Puts a hold to the person who uses the client: only an MCP client has one. Older clients are asked while the call
 * waits. Since the revision of 2026-07-28 the call is answered with the form, and made again with the content. Only an
 * answer to one of our forms is recorded.
 */
export class AskUser implements McpTool {
  readonly #sdk: Sdk
  readonly #asking: Asking
  readonly #seal: Seal
  readonly role = 'decider'
  readonly listed: McpTool['listed']
  readonly inputSchema: JsonObject

  constructor(sdk: Sdk, asking: Asking, seal: Seal) {
    this.#sdk = sdk
    this.#asking = asking
    this.#seal = seal
    const { listed, inputSchema } = listedAs(ASK_USER)
    this.listed = listed
    this.inputSchema = inputSchema
  }

  async call(call: McpCall): Promise<CallToolResult | InputRequiredResult> {
    const { args, client, request } = call
    if (!client.showsForms) throw cannotAsk()
    const hold = await this.#openHold(String(args['hold_id']), call)
    const shown = this.#shownIn(request, hold)
    const came = shown && this.#sdk.inputResponse(request.inputResponses, FORM)
    if (came?.kind !== 'elicit') return this.#ask(hold, call)
    if (came.action !== 'accept') return nothingSaid(hold, came.action)
    return this.#record(hold, { ...(shown as Shown), filled: (came.content ?? {}) as Filled }, call)
  }

  async #openHold(id: string, { identity: { person } }: McpCall): Promise<Hold> {
    const hold = await this.#asking.holdpoint.hold(id)
    if (!hold) throw unknownHold(id)
    // If the hold was decided meanwhile, its receipt names who was first.
    const objection = hold.status === 'open' ? objectionToAsking(hold, person) : null
    if (objection) throw objection
    return hold
  }

  #shownIn(request: ServerContext['mcpReq'], hold: Hold): Shown | null {
    const shown = request.requestState<Shown>()
    return shown?.hold_id === hold.id && shown.digest === hold.digest ? shown : null
  }

  async #ask(hold: Hold, { context, identity: { person } }: McpCall): Promise<InputRequiredResult> {
    if (hold.status !== 'open') throw openNoMore(hold)
    const { onShow, newDecisionId, visibleText } = this.#asking
    await onShow(hold, person)
    const { inputRequired } = this.#sdk
    const message = formText(hold, { person, visibleText })
    const form = inputRequired.elicit({ message, requestedSchema: formFor(hold) })
    const shown: Shown = { hold_id: hold.id, digest: hold.digest, decision_id: newDecisionId() }
    return inputRequired({ inputRequests: { [FORM]: form }, requestState: await this.#seal.mint(shown, context) })
  }

  async #record(
    hold: Hold,
    { decision_id, digest, filled }: Shown & { readonly filled: Filled },
    { identity: { person: decided_by } }: McpCall,
  ): Promise<CallToolResult> {
    const said = saidIn(hold, filled)
    const signed = { decision_id, digest, decided_by, surface: ELICITATION_SURFACE }
    return toolResult(recorded(await this.#asking.holdpoint.decide(hold.id, { ...said, ...signed })))
  }
}

const ASK_USER: Parameters<typeof listedAs>[0] = {
  name: 'ask_user',
  title: 'Ask the user to decide a hold',
  description:
    'Shows a hold in full to the person at this client, who approves, rejects or answers it themselves; the decision is signed by them, not by you. Nothing is recorded when they decline or dismiss it. Needs a client that supports elicitation.',
  inputSchema: object({ hold_id: text('From list_holds or get_task_details.') }, ['hold_id']),
  outputSchema: complete({
    outcome: { enum: ['recorded', 'duplicate', 'declined', 'dismissed'] },
    hold_id: TEXT,
    hold_status: { enum: [...HOLD_STATUSES] },
    decision: described(orNull(OBJECT), 'What was recorded; null where nothing was.'),
    message: TEXT,
  }),
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
}

function recorded(receipt: Receipt): JsonObject {
  if (!isOnRecord(receipt)) throw receiptRefusal(receipt)
  const { outcome, hold, decision } = receipt
  const more = hold.status === 'open' ? ' It stays open until enough people approved.' : ''
  return {
    outcome,
    hold_id: hold.id,
    hold_status: hold.status,
    decision: JSON.parse(JSON.stringify(decision)) as JsonObject,
    message: `${decision.decided_by} chose ${decision.verdict}.${more}`,
  }
}

function nothingSaid({ id, status }: Hold, action: 'decline' | 'cancel'): CallToolResult {
  const outcome = action === 'decline' ? 'declined' : 'dismissed'
  return toolResult({
    outcome,
    hold_id: id,
    hold_status: status,
    decision: null,
    message: `The user ${outcome} the question. Nothing was recorded; the hold is as it was.`,
  })
}

function cannotAsk(): RefusedError {
  return new RefusedError(
    'no_elicitation',
    'This client cannot put forms to its user: it does not support elicitation.',
    {
      hint: 'Leave the hold open and ask a person to decide it. Or decide it yourself with decide_hold or resume_task, where you may.',
    },
  )
}

function openNoMore({ id, status, decision }: Hold): RefusedError {
  if (decision && status === 'decided') return alreadyDecided(id, decision)
  return new RefusedError('hold_not_open', `${id} is ${status}: there is nothing to decide any more.`, {
    hint: `Read holdpoint://holds/${id} to see what became of it.`,
  })
}
