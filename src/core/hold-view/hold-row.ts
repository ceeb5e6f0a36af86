import type { Amount } from '../count.ts'
import { type Hold, usualMessage } from '../hold/hold.ts'
import { approvalsNeeded } from '../hold/may-decide.ts'
import type { Membership } from '../people/membership.ts'
import type { RunPath } from '../run/run-path.ts'
import { isJsonObject, jsonText } from '../text/json.ts'
import { visibleLine } from '../text/visible-text.ts'
import { inOneLine } from './blocks/act-words.ts'
import { lookAlikesOf } from './blocks/hold-remarks.ts'
import { type ShownAct, shownAct } from './hold-document.ts'
import type { ResultLine } from './hold-result.ts'
import { holdOutcome, holdSummary, whoMayDecide } from './hold-words.ts'
import { mayDecide, possibleVerdicts } from './possible-verdicts.ts'

type HoldFields = 'id' | 'kind' | 'status' | 'run_id' | 'thread_id' | 'agent' | 'tool' | 'digest' | 'destructive'
type TimeFields = 'opened_at' | 'due_at' | 'assignee' | 'level'

/** A hold in a list: enough to choose it, not enough to decide it. */
export interface HoldRow extends Pick<Hold, HoldFields | TimeFields>, ShownAct {
  /** True if policy says never to the call. */
  readonly overrides_never: boolean
  /** True if words of the request look like other words. */
  readonly has_look_alikes: boolean
  readonly path: RunPath
  /** The request in one visible line, cut if `is_cut`. */
  readonly summary: string
  readonly is_cut: boolean
  /** The deciders, in words. */
  readonly who_may_decide: string
  readonly approvals: { readonly have: Amount; readonly need: Amount }
  /** Whether the viewer may let it pass; `null` if it is not open any more. */
  readonly may_decide: boolean | null
  /** The decision in words; empty while it is open. */
  readonly outcome: string
  /** What came of it; `null` if the decision says all, or it is open. */
  readonly result: ResultLine | null
}

export interface RowViewer {
  /** The name with which the viewer would sign. */
  readonly name: string
  /** Default: no group is proven. */
  readonly member_of?: Membership | null
  /** False for a viewer who decides nothing at all. */
  readonly decides: boolean
}

/** In code units. */
const LONGEST_SUMMARY = 280

/** Summarizes a hold like `holdView`, without the journal: that keeps long lists quick. */
export function holdRow(hold: Hold, path: RunPath, viewer: RowViewer, result: ResultLine | null = null): HoldRow {
  const { id, kind, status, run_id, thread_id, agent, tool, digest, destructive } = hold
  const { opened_at, due_at, assignee, level, votes } = hold
  const may = mayDecide(possibleVerdicts(hold, viewer))
  return {
    ...{ id, kind, status, run_id, thread_id, agent, tool, digest, destructive },
    ...{ opened_at, due_at, assignee, level, path },
    ...shownAct(hold),
    overrides_never: hold.overrides_never === true,
    has_look_alikes: lookAlikesOf(hold).length > 0,
    ...holdLine(hold),
    who_may_decide: whoMayDecide(hold),
    approvals: { have: votes.length, need: approvalsNeeded(hold) },
    may_decide: may === null ? null : may === true && viewer.decides,
    outcome: holdOutcome(hold),
    result,
  }
}

/** The request of a hold in one visible line. */
export function holdLine(hold: Hold): Pick<HoldRow, 'summary' | 'is_cut'> {
  const { line, is_cut } = cutVisible(rowSummary(hold))
  return { summary: line, is_cut }
}

/** A single argument is its value; several arguments have their names. Other requests read like `holdSummary`. */
function rowSummary(hold: Hold): string {
  const { kind, message, tool, arguments: args } = hold
  const isPlain = (kind === 'approval' || kind === 'in_doubt') && message === usualMessage(tool ?? '')
  if (!isPlain || !isJsonObject(args)) return holdSummary({ ...hold, message: inOneLine(message) })
  const entries = Object.entries(args)
  const texts = entries.map(([name, value]) => (entries.length === 1 ? jsonText(value) : `${name}: ${jsonText(value)}`))
  return visibleLine(inOneLine(texts.join('  ')))
}

/** A text in one visible line, at its longest as long as those of a list. */
export function shortLine(text: string): CutLine {
  // Signs for what hides are longer than it, never shorter.
  return cutVisible(visibleLine(inOneLine(text.slice(0, 2 * LONGEST_SUMMARY))))
}

interface CutLine {
  readonly line: string
  readonly is_cut: boolean
}

/** Never within a character of two code units. */
function cutVisible(line: string): CutLine {
  if (line.length <= LONGEST_SUMMARY) return { line, is_cut: false }
  return { line: line.slice(0, LONGEST_SUMMARY).replace(/[\ud800-\udbff]$/, ''), is_cut: true }
}
