// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code
/** The seeded bugs by promise, two of each at least; none implies another one. */
import type { Mutant, PromiseName } from './mutant.ts'

type Seed = readonly [name: string, file: string, from: string, to: string, shows: RegExp]

// biome-ignore format: one bug is one row
const SEEDS: Readonly<Record<PromiseName, readonly Seed[]>> = {
  P1: [
    ['let what asks run', 'src/runtime/policy/policy-gate.ts', 'return STRICTNESS[ruling.verdict] < STRICTNESS.prompt ? { because: ruling.rule } : askOrPass(profile, tool, ruling)', 'return STRICTNESS[ruling.verdict] < STRICTNESS.prompt || !ruling.binding ? { because: ruling.rule } : askOrPass(profile, tool, ruling)', /./],
    ['let an overruled never run after its approval', 'src/runtime/policy/policy-gate.ts', "if (profile.policy.on_never !== 'reject') return null", "if (profile.policy.on_never !== 'reject' || profile.pause_on.includes('approval')) return null", /./],
    ['take an unknown verdict for a release', 'src/core/hold/release.ts', 'return (rule ?? REJECT)(decision, mode)', 'return (rule ?? RUN)(decision, mode)', /./],
    ['let the requester be the second person', 'src/core/hold/may-decide.ts', 'if (deciders.not_requester && RELEASES[signer.verdict](hold)) return', "if (deciders.not_requester && signer.verdict === 'edit' && RELEASES[signer.verdict](hold)) return", /./],
    ['take one vote for a quorum', 'src/core/hold/may-decide.ts', 'const need = hold.deciders?.quorum ?? 1', 'const need = 1', /./],
  ],
  P2: [
    ['decide without the compare', 'src/core/deciding/apply-decision.ts', "if (hold.status === 'decided' && hold.decision !== null)", "if (hold.status === 'decided' && !isRunOver) return recorded(hold, decision)\n  if (hold.status === 'decided' && hold.decision !== null)", /./],
    ['decide what is withdrawn', 'src/core/deciding/apply-decision.ts', "if (hold.status !== 'open' || isRunOver) return", 'if (isRunOver) return', /./],
    ['take any repeated id for the same decision', 'src/core/hold/said-before.ts', 'saysTheSame(before, saying))', 'saysTheSame(before, before))', /./],
    ['ask again about what an edit released', 'src/runtime/gate/released-call.ts', 'digests.includes(decision?.digest ??', "decision?.verdict !== 'edit' && digests.includes(decision?.digest ??", /asked twice:/],
    ['decide what is overdue', 'src/core/deciding/apply-decision.ts', 'isOverdue(hold, now)', 'isOverdue(hold, now - 3_600_000)', /./],
  ],
  P3: [
    ['run again beside what still runs', 'src/runtime/doubt/recover-run.ts', 'await hasEnded(session, call, left.started)', 'await hasEnded(session, call, null)', /at once:|still runs|is fenced/],
    ['run again what is not idempotent', 'src/runtime/doubt/recover-run.ts', 'if (!tool.idempotent) return false\n', '', /./],
    ['give each attempt another key', 'src/runtime/lease/work-standing.ts', 'return `${threadId}/${callId}`', 'return `${threadId}/${callId}/${Math.random()}`', /./],
    ['start an idempotent call again under stricter rules', 'src/runtime/doubt/recover-run.ts', "return verdict !== 'prompt' || hold_id !== null || !session.pausesFor('approval')", 'return true', /./],
  ],
  P4: [
    ['tell of events before they are written', 'src/runtime/session/session-journal.ts', '    this.#staged.draft.events.push(event)\n', '    this.#staged.draft.events.push(event)\n    this.#runtime.tell({ ...event, seq: this.#thread.seq, at, thread_id: this.#thread.id } as JournalEvent)\n', /./],
    ['rest although another process wrote', 'src/core/advancing/run-standing.ts', 'if (hasSeenAll) return', 'if (hasSeenAll || rest) return', /./],
    ['live by the times of its own clock', 'src/runtime/session/session-journal.ts', 'retime(this.#thread, news)', 'retime(this.#thread, raced ? news : [])', /Seed \d+ failed: live:/],
    ['write on after a failed flush', 'src/runtime/session/session-journal.ts', '    this.#dead = true\n', '', /./],
  ],
  P5: [
    ['put results in the order of their ends', 'src/core/journal/fold-steps.ts', 'for (const call of calls)\n    thread.messages.push(\n      toolMessage(', 'for (const call of calls.toReversed())\n    thread.messages.push(\n      toolMessage(', /./],
    ['leave out the results of denied calls', 'src/core/journal/fold-steps.ts', 'for (const call of calls)\n    thread.messages.push(\n      toolMessage(', "for (const call of calls.filter(({ status }) => status !== 'failed'))\n    thread.messages.push(\n      toolMessage(", /./],
    ['end a step with an open call', 'src/core/journal/next-move.ts', "return calls.every(call => isFinal(call.status)) ? { type: 'end_step' } : { type: 'wait' }", "return { type: 'end_step' }", /./],
  ],
  P6: [
    ['keep the lease of a run that waits', 'src/runtime/loop/advance-run.ts', "  if (type === 'wait' && session.run.announced?.seq !== session.thread.seq) session.stageCheckpoint('pause')\n  return session.rest({ release: true })", "  if (type === 'wait' && session.run.announced?.seq !== session.thread.seq) session.stageCheckpoint('pause')\n  return session.rest({ release: type === 'done' })", /./],
    ['leave a watch behind a run that waits', 'src/runtime/session/run-session.ts', '    this.signals[Symbol.dispose]()\n', '', /Seed \d+ failed: P6:/],
    ['leave a timer behind a run that waits', 'src/runtime/lease/keep-lease.ts', '[Symbol.dispose]: () => clearInterval(timer)', '[Symbol.dispose]: () => {}', /Seed \d+ failed: P6:/],
  ],
  P7: [
    ['skip the fence', 'src/stores/sql/tables/run-leases.ts', "Number(row['fence']) !== lease.fence || row['lease_owner'] !== lease.owner", 'false', /./],
    ['take a lease that another holds', 'src/core/advancing/may-claim.ts', 'if (lease === null || lease.owner === evict) return null', "if (lease === null || lease.owner !== '' || lease.owner === evict) return null", /./],
    ['keep the number of the fence', 'src/stores/sql/tables/run-leases.ts', 'fence = fence + 1', 'fence = fence + 0', /./],
  ],
  P8: [
    ['record some of decisions that go together', 'src/stores/all-or-none.ts', 'if (!isEachOnRecord(receipts)) throw', 'if (!receipts.some(receipt => isEachOnRecord([receipt]))) throw', /./],
    ['start a batch before all of it is decided', 'src/core/journal/next-move.ts', "hold_scope === 'batch' && openHolds(run).length > 0", "hold_scope === 'batch' && openHolds(run).length > 1", /./],
    ['forget the settings of a run on resume', 'src/core/journal/fold.ts', 'run.profile = { ...run.profile, ...changes }', 'run.profile = { ...run.profile }', /./],
  ],
  P9: [
    ['run what was not approved', 'src/runtime/gate/released-call.ts', '.includes(digest) || (verdict', '.includes(digest) && (verdict', /./],
    ['leave the arguments out of the digest', 'src/core/hold/hold-digests.ts', 'return canonicalJson({ tool: name, schema, arguments: args,', 'return canonicalJson({ tool: name, schema, arguments: args === null,', /./],
    ['let an approval lead to another place', 'src/runtime/loop/may-start.ts', 'return hold.leads_to === now.leads_to ? null', "return hold.leads_to !== '' ? null", /./],
  ],
  P10: [
    ['forget the record of a decision', 'src/core/audit/event-records.ts', 'return entry ? [', "return entry && kind !== 'hold.decided' ? [", /./],
    ['chain records to nothing', 'src/core/audit/audit-chain.ts', 'return `${before}\\n${record}`', 'return `${before.slice(0, 0)}\\n${record}`', /./],
    ['record an event under a shifted seq', 'src/core/audit/event-records.ts', 'const { at, kind, seq: event_seq } = event', 'const { at, kind } = event\n    const event_seq = event.seq + 1', /./],
  ],
  P11: [
    ['tell what was stopped as failed', 'src/runtime/loop/run-call.ts', "type: isStopped ? 'unknown' : 'failed'", "type: 'failed'", /P11/],
    ['blame a plugin for a stop', 'src/runtime/session/phases.ts', '    if (!evenIfStopped) session.signals.throwIfStopped()\n    throw new HookFailure', '    throw new HookFailure', /blame:|told to stop when the advance is/],
    ['blame a plugin for a standstill of its process', 'src/runtime/foreign/reach-foreign.ts', 'while (clock.steady() - due > STOOD_STILL_MS)', 'while (due + STOOD_STILL_MS < 0)', /late because its process stood still/],
    ['say of who lives that it ended', 'src/runtime/lease/work-standing.ts', "return liveness.isAlive(process) ? 'running' : 'unknown'", "return 'ended'", /dead:|a hold in doubt says/],
    ['begin behind a word to stop', 'src/runtime/loop/start-calls.ts', 'if (mayBegin(session.run) && !hasDrifted', 'if ((mayBegin(session.run) || session.run.termination === null) && !hasDrifted', /unheard:/],
    ['tell what was stopped as not begun', 'src/runtime/loop/run-call.ts', "if (isStopped && hasCode(thrown, 'TOOL_CALL_NOT_BEGUN'))", "if (isStopped && (hasCode(thrown, 'TOOL_CALL_NOT_BEGUN') || thrown instanceof Error))", /./],
    ['tell what may have begun as not run', 'src/core/journal/next-move.ts', "      : 'a new message came before this call was over; it had started, so it may have had its effect.'", "      : 'a new message came before this call ran.'", /./],
    ['say nothing of an effect under a cancel', 'src/core/journal/next-move.ts', 'if (attempt === 0 || error === null ||', 'if (attempt <= 1 || error === null ||', /./],
  ],
}

export const MUTANTS: readonly Mutant[] = Object.entries(SEEDS).flatMap(([promise, seeds]) =>
  seeds.map(([name, file, from, to, shows]) => ({ promise: promise as PromiseName, name, file, from, to, shows })),
)
