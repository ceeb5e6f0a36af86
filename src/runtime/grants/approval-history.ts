import type { Hold } from '../../core/hold/hold.ts'
import { approvalsNeeded } from '../../core/hold/may-decide.ts'
import type { AskedCall } from '../../core/load/rule-candidates.ts'
import { isAgentActor, isToldByAgent } from '../../core/people/agent-actor.ts'
import { canonicalJson, isJsonObject } from '../../core/text/json.ts'

/** The decisions of people on calls of one agent and tool. */
export interface ToolHistory {
  readonly agent: string
  readonly tool: string
  /** The thread of the newest call: its run has the policy and the project. */
  readonly thread_id: string
  /** Approved as they were asked, by one person, newest first; no more than a rule is worth. */
  readonly approved: readonly AskedCall[]
  /** P1: all others that differ. No rule may cover one of them. */
  readonly against: readonly AskedCall[]
  /** How many calls were answered, in addition to those in `approved`, and how many ever. */
  readonly asked: number
  readonly asked_ever: number
}

const MOST_APPROVED = 500
/** Longer arguments are no rule's. */
const LONGEST = 16 * 1024

class Found implements ToolHistory {
  readonly agent: string
  readonly tool: string
  readonly thread_id: string
  readonly approved: AskedCall[] = []
  readonly #against = new Map<string, AskedCall>()
  asked = 0
  asked_ever = 0

  constructor({ agent, thread_id }: Hold, tool: string) {
    this.agent = agent
    this.tool = tool
    this.thread_id = thread_id
  }

  get against(): readonly AskedCall[] {
    return [...this.#against.values()]
  }

  oppose(call: AskedCall): void {
    const key = canonicalJson(call.arguments)
    if (!this.#against.has(key)) this.#against.set(key, call)
  }
}

/** The approvals of a store, taken newest first. */
export class ApprovalHistory {
  readonly #since: number
  readonly #found = new Map<string, Found>()

  /** Milliseconds since 1970: older approvals suggest nothing. Rejections count from the beginning. */
  constructor(since: number) {
    this.#since = since
  }

  take(hold: Hold): void {
    const { tool, decision, arguments: args } = hold
    if (tool === null || decision === null || !isJsonObject(args)) return
    const entry = this.#foundFor(hold, tool)
    const isInTime = Date.parse(decision.at) >= this.#since && entry.approved.length < MOST_APPROVED
    entry.asked_ever += 1
    if (isInTime) entry.asked += 1
    const { decided_by, at: decided_at, reason } = decision
    const isApproved = decision.verdict === 'approve' && approvalsNeeded(hold) <= 1
    const call = { hold_id: hold.id, arguments: args, decided_by, decided_at, reason, isApproved }
    if (!isApproved) entry.oppose(call)
    else if (isInTime && speaks(hold, decided_by)) entry.approved.push(call)
  }

  all(): readonly ToolHistory[] {
    return [...this.#found.values()]
  }

  #foundFor(hold: Hold, tool: string): Found {
    const key = JSON.stringify([hold.agent, tool])
    const entry = this.#found.get(key) ?? new Found(hold, tool)
    this.#found.set(key, entry)
    return entry
  }
}

/** A project grant covers nothing that one agent asks of another, and no agent's decision supports one. */
function speaks({ arguments: args, requesters }: Hold, decidedBy: string): boolean {
  return !isAgentActor(decidedBy) && !isToldByAgent(requesters) && JSON.stringify(args).length <= LONGEST
}
