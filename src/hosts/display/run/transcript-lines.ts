/**
 * A conversation as plain lines, for logs and screen readers: each names its author, and nothing in it can look like
 * another line.
 * Keeps: a text of a person, a model or a tool is indented after its first line (P9).
 */

import { type Decision, idleEndText } from '../../../core/hold/decision.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Content } from '../../../core/message/part.ts'
import { contentText, answerText as spoken } from '../../../core/message/part-words.ts'
import { describeEnd } from '../../../core/run/termination.ts'
import { visibleProse } from '../../../core/text/visible-text.ts'
import { PLAIN } from '../screen.ts'
import { Activity } from './activity.ts'
import { eventLine } from './event-lines.ts'

/** In characters: lines of a log are read with tools, not in a window. */
const WIDTH = 200

type Sayers = { readonly [K in JournalEvent['kind']]?: (event: Extract<JournalEvent, { kind: K }>) => string }

export class TranscriptLines {
  readonly #agent: string
  readonly #activity = new Activity()
  /** Each writes its own text; all other events are lines as in a run. */
  readonly #sayers: Sayers

  /** `agent`: how its answers are signed. */
  constructor(agent: string) {
    this.#agent = agent
    this.#sayers = {
      'message.received': ({ data }) => said(data.author ?? 'user', data.content),
      'message.queued': ({ data }) => said(data.author ?? 'user', data.content),
      'model.answered': ({ data }) => (spoken(data) === '' ? '' : said(this.#agent, spoken(data))),
      'hold.decided': ({ data: { decision, call_id } }) =>
        decision.verdict === 'respond'
          ? said(decision.decided_by, answerText(decision))
          : `! ${decided(decision, call_id)}\n`,
      'run.finished': ({ data }) => `= ${visibleProse(describeEnd(data.termination))}\n`,
    }
  }

  /** Whole lines with their ends; empty if the event has no line. */
  hear(event: JournalEvent): string {
    const say = this.#sayers[event.kind] as ((event: JournalEvent) => string) | undefined
    // Between two messages the agent waits: no line is needed.
    if (event.kind === 'hold.opened' && event.data.kind === 'input') return ''
    const told = { activity: this.#activity, detail: 'alone', streams: true } as const
    const line = say ? null : eventLine(event, told, { width: WIDTH, paint: PLAIN })
    this.#activity.hear(event)
    if (say) return say(event)
    return line === null ? '' : `${line}\n`
  }
}

function decided(decision: Decision, callId: string | null): string {
  return idleEndText(decision) ?? `${visibleProse(decision.decided_by)} ${saysTo(callId, decision.verdict)}`
}

/** Without a call the agent waits for a message, and its text is accepted as the last one. */
function saysTo(callId: string | null, verdict: string): string {
  return callId === null && verdict === 'approve'
    ? 'says that this is all'
    : `says ${verdict} to ${callId ?? 'the agent'}`
}

function answerText({ content, value }: { readonly content?: Content; readonly value: unknown }): Content {
  return content ?? (typeof value === 'string' ? value : JSON.stringify(value))
}

function said(who: string, content: Content): string {
  const [first = '', ...rest] = visibleProse(contentText(content)).trimEnd().split('\n')
  return `${visibleProse(who)}: ${[first, ...rest.map(line => (line === '' ? '' : `    ${line}`))].join('\n')}\n`
}
