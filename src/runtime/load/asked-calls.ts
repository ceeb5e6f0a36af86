import type { Hold } from '../../core/hold/hold.ts'
import type { AskedCall } from '../../core/load/rule-candidates.ts'
import { isJsonObject } from '../../core/text/json.ts'

/** The approvals that people were asked for about calls of one agent and tool, newest last. */
export interface AskedOfTool {
  readonly agent: string
  readonly tool: string
  /** The thread of the newest: its run says by which policy, and where. `null` if there is none. */
  readonly thread_id: string | null
  readonly calls: readonly AskedCall[]
}

/** Longer arguments are no rule's, and a report should fit into memory. */
const LONGEST = 16 * 1024

/** The newest answers about calls, by agent and tool: `most` of each. */
export class AskedCalls {
  readonly #most: number
  readonly #found = new Map<string, AskedOfTool & { thread_id: string; readonly calls: AskedCall[] }>()

  constructor(most: number) {
    this.#most = most
  }

  take({ id, kind, agent, tool, thread_id, arguments: args, decision }: Hold): void {
    if (kind !== 'approval' || tool === null || decision === null || args === null || !isJsonObject(args)) return
    const verdict = ANSWERS[decision.verdict]
    if (verdict === undefined || JSON.stringify(args).length > LONGEST) return
    const key = JSON.stringify([agent, tool])
    const found = this.#found.get(key) ?? { agent, tool, thread_id, calls: [] }
    this.#found.set(key, found)
    found.thread_id = thread_id
    const { decided_by, reason } = decision
    found.calls.push({ hold_id: id, arguments: args, decided_by, reason, isApproved: verdict })
    if (found.calls.length > this.#most) found.calls.shift()
  }

  of({ agent, tool }: Pick<AskedOfTool, 'agent' | 'tool'>): AskedOfTool {
    return this.#found.get(JSON.stringify([agent, tool])) ?? { agent, tool, thread_id: null, calls: [] }
  }

  all(): readonly AskedOfTool[] {
    return [...this.#found.values()]
  }
}

/** Whether the call was approved as it was asked. Who edits it approves another call. */
const ANSWERS: Readonly<Record<string, boolean | undefined>> = { approve: true, reject: false }
