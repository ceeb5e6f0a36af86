import { describeDue } from '../../core/deadlines/describe-due.ts'
import type { ErrorDocument } from '../../core/errors.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { approvalsNeeded } from '../../core/hold/may-decide.ts'
import { holdRemarks } from '../../core/hold-view/hold-remarks.ts'
import { SAYS_NEVER } from '../../core/hold-view/hold-words.ts'
import { possibleVerdicts } from '../../core/hold-view/possible-verdicts.ts'
import { previewLines } from '../../core/hold-view/preview-lines.ts'
import { textWidth } from '../../core/text/text-width.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { cutLine, cutMiddle } from '../display/cut-line.ts'
import { callText } from '../display/run/call-words.ts'
import { padColumns } from '../display/table.ts'
import { offered } from './hold-reply.ts'

export interface QuestionSite {
  /** As the person would sign. */
  readonly person: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** In columns. */
  readonly width: number
  /** Other holds are asked about here too, so the call may be far above. */
  readonly isOneOfMany: boolean
  /** All of it stands on the screen. */
  readonly isSeen: boolean
}

/** The hold once more in short, and the possible answers. */
export function questionText(hold: Hold, site: QuestionSite): string {
  const name = visibleLine([hold.call_id ?? hold.id, hold.tool ?? ''].join(' ').trim())
  const refusal = whyNot(hold, site.person)
  const ways = padColumns(offered({ ...hold, laterOnly: refusal?.isAll ?? false }).map(pair => pair.map(visibleLine)))
  const lines = [
    ...(hold.overrides_never ? [SAYS_NEVER] : []),
    ...holdRemarks(hold),
    ...(site.isOneOfMany || !site.isSeen ? shortCall(hold, site) : []),
    ...(site.isSeen ? [] : unseen(hold)),
    ...(hold.due_at === null ? [] : [`due ${describeDue(hold, site.now)}`]),
    ...quorum(hold),
    ...(refusal ? [refusal.error.message] : []),
    ...ways.map(way => way.join('  ').trimEnd()),
  ]
  return `${name}:\n${lines.map(line => `  ${visibleLine(line)}\n`).join('')}`
}

/** Why this person may not let it pass, and whether they may say nothing at all; `null` if they may. */
export function whyNot(hold: Hold, person: string): { readonly error: ErrorDocument; readonly isAll: boolean } | null {
  const verdicts = possibleVerdicts(hold, { name: person }).filter(({ verdict }) => verdict !== 'cancel')
  const error = verdicts.find(({ verdict }) => verdict === 'approve' || verdict === 'respond')?.refusal ?? null
  return error && { error, isAll: verdicts.every(({ refusal }) => refusal !== null) }
}

/** The call in one line; `null` if it is about none. */
export function callLine({ call_id, tool, arguments: args }: Hold): string | null {
  if (call_id === null || tool === null || args === null) return null
  return callText({ id: call_id, name: tool, arguments: args })
}

function shortCall(hold: Hold, { width, isSeen }: QuestionSite): string[] {
  const line = callLine(hold)
  if (line === null) return []
  return isSeen ? [cutLine(line, width - 2), ...(shortPreview(hold, width) ?? [])] : [cutMiddle(line, width - 2)]
}

/** A longer one stands above alone. */
const LONGEST_PREVIEW = 12

/** The lines of its preview, empty if there is none; `null` if they are too many, or too wide, to say them twice. */
export function shortPreview({ preview }: Pick<Hold, 'preview'>, width: number): readonly string[] | null {
  const lines = preview ? previewLines(preview).map(({ text }) => `  ${text}`) : []
  return lines.length <= LONGEST_PREVIEW && lines.every(line => textWidth(line) <= width - 2) ? lines : null
}

/** P9: what scrolled away was not seen. */
function unseen({ id }: Pick<Hold, 'id'>): readonly string[] {
  return ['Not all of it is on this screen. Scroll up, or read it with', `  holdpoint show ${id} | less`]
}

function quorum(hold: Hold): string[] {
  const need = approvalsNeeded(hold)
  return need > 1 ? [`${need} different people must approve; ${hold.votes.length} did so far`] : []
}
