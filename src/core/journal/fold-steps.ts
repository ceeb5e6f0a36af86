/** How an answer of a model, and the end of its calls, become state. */

import { answerContent, saysSomething } from '../message/answer-content.ts'
import { afterAnswer } from '../run/context/context-state.ts'
import { countRefusals } from '../run/insistence.ts'
import { standInAfter } from '../run/outcome/outage.ts'
import { isDiscarded } from '../run/outcome/unfinished-answer.ts'
import { providerOf } from '../run/repair/context-repair.ts'
import { countCalls, countPause } from '../run/stop-condition.ts'
import { isFinal, newCall } from '../run/tool-call.ts'
import { withAnswer } from '../run/usage/cost.ts'
import { frozen } from '../text/frozen.ts'
import type { EventData } from './event.ts'
import { atRest, runOf, stepOf } from './fold-access.ts'
import { hasPaused } from './may-run.ts'
import type { Run, Thread } from './thread.ts'
import { toolMessage } from './tool-message.ts'

export function modelAnswered(thread: Thread, data: EventData['model.answered']): void {
  const run = atRest(thread)
  const usage = withAnswer(run.usage, data, run.profile.prices)
  const calls = new Map(data.calls.map(call => [call.id, newCall({ ...call, arguments: frozen(call.arguments) })]))
  const ids = data.calls.map(({ id }) => id)
  // Older journals name no model.
  const provider = providerOf(data.model ?? '')
  const taken = ids.find((id, index) => thread.call_ids.has(id) || ids.indexOf(id) < index)
  if (taken !== undefined) throw new Error(`there is a call ${taken} already`)
  const tool_calls = data.calls.map(({ id, name, arguments: args, metadata }) => ({
    id,
    name,
    arguments: args,
    metadata,
  }))
  run.steps += 1
  run.concluding = false
  if (data.forced_by !== null) run.forced += 1
  // A paused answer goes on with the next one.
  run.answer = run.unfinished === 'pause_turn' ? `${run.answer}${data.text}` : data.text
  run.unfinished = data.unfinished ?? null
  if (run.unfinished === null) run.asked_again = null
  run.finish_reason = data.finish_reason ?? ''
  run.usage = usage
  thread.context = afterAnswer(thread.context, data)
  run.repaired = 0
  run.outage = null
  run.stand_in = standInAfter(run.stand_in, data)
  thread.accepted.set(provider, thread.messages.length)
  run.step = { number: run.steps, text: data.text, calls }
  for (const id of ids) thread.call_ids.add(id)
  // Providers refuse an assistant message with nothing in it; the step is still in the journal.
  if (saysSomething(data)) thread.messages.push({ role: 'assistant', content: answerContent(data), tool_calls })
}

/** P5: one result for each call, in call order, directly after the message that asked for them. */
export function stepEnded(thread: Thread): void {
  const run = runOf(thread)
  const { calls: asked, text } = stepOf(run)
  const calls = [...asked.values()]
  const open = calls.find(({ status }) => !isFinal(status))
  if (open) throw new Error(`call ${open.id} is ${open.status}`)
  const holds = [...run.holds.values()]
  for (const call of calls)
    thread.messages.push(
      toolMessage(
        call,
        holds.filter(({ call_id }) => call_id === call.id),
      ),
    )
  const ran = calls.filter(({ status }) => status === 'succeeded').map(({ name }) => name)
  // Calls of an answer that does not count were not made.
  const made = isDiscarded(run.unfinished) ? [] : calls
  run.ended_step = { text, ran, called: made.map(({ name }) => name) }
  const refused_in_row = countRefusals(run.counters.refused_in_row, made, decidedCalls(run))
  const counted = { ...countCalls(run.counters, made, run.profile.stop), refused_in_row }
  run.counters = hasPaused(run) ? countPause(counted) : counted
  run.concluding = made.length === 0
  run.step = null
}

function decidedCalls(run: Run): ReadonlySet<string> {
  return new Set([...run.holds.values()].flatMap(({ call_id, decision }) => (decision && call_id ? [call_id] : [])))
}
