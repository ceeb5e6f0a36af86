import type { Hold } from '../../core/hold/hold.ts'
import type { AskedCall } from '../../core/load/rule-candidates.ts'
import { isJsonObject } from '../../core/text/json.ts'

/** The approvals that people were asked for about calls of one agent and tool, newest last. */
export interface AskedOfTool {
  readonly agent: string
  readonly tool: string
  /** The thread of the newest call: its run has the policy and the project. `null` if there is none. */
  readonly thread_id: string | null
  readonly calls: readonly AskedCall[]
}

/** Longer arguments are no rule's, and a report should fit into memory. */
const LONGEST = 16 * 1024

type Found = AskedOfTool & { thread_id: string | null; readonly calls: AskedCall[] }

/** The newest answers about calls, by agent and tool: `most` of each. */
export class AskedCalls {
  readonly #most: number
  readonly #found = new Map<string, Found>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes a hold that is newer than all before. */
  take(hold: Hold): void {
    const call = answeredCall(hold)
    if (call === null) return
    const entry = this.#foundFor(call)
    entry.thread_id = hold.thread_id
    entry.calls.push(call.asked)
    if (entry.calls.length > this.#most) entry.calls.shift()
  }

  /** Takes a hold that is older than all before. Returns true once no older one counts. */
  takeEarlier(hold: Hold): boolean {
    const call = answeredCall(hold)
    if (call === null) return false
    const entry = this.#foundFor(call)
    entry.thread_id ??= hold.thread_id
    if (entry.calls.length < this.#most) entry.calls.unshift(call.asked)
    return entry.calls.length >= this.#most
  }

  #foundFor({ agent, tool }: AnsweredCall): Found {
    const key = JSON.stringify([agent, tool])
    const entry = this.#found.get(key) ?? { agent, tool, thread_id: null, calls: [] }
    this.#found.set(key, entry)
    return entry
  }

  of({ agent, tool }: Pick<AskedOfTool, 'agent' | 'tool'>): AskedOfTool {
    return this.#found.get(JSON.stringify([agent, tool])) ?? { agent, tool, thread_id: null, calls: [] }
  }

  all(): readonly AskedOfTool[] {
    return [...this.#found.values()]
  }
}

interface AnsweredCall {
  readonly agent: string
  readonly tool: string
  readonly asked: AskedCall
}

/** `null` for a hold that no rule could spare. */
function answeredCall({ id, kind, agent, tool, arguments: args, decision }: Hold): AnsweredCall | null {
  if (kind !== 'approval' || tool === null || decision === null || args === null || !isJsonObject(args)) return null
  const isApproved = ANSWERS[decision.verdict]
  if (isApproved === undefined || JSON.stringify(args).length > LONGEST) return null
  const { decided_by, at: decided_at, reason } = decision
  return { agent, tool, asked: { hold_id: id, arguments: args, decided_by, decided_at, reason, isApproved } }
}

/** Whether the call was approved as it was asked. An approver who edits it approves another call. */
const ANSWERS: Readonly<Record<string, boolean | undefined>> = { approve: true, reject: false }
