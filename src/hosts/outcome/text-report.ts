import type { OutcomeDocument, PausedDocument } from './outcome-document.ts'
import { further, pauseLines } from './pause-lines.ts'
import type { OutcomeWarning } from './unasked-calls.ts'

/** The report on stdout. A final message is passed on as it is; pending calls hide nothing. */
export function textReport(document: OutcomeDocument): string {
  if (document.outcome === 'paused') return pausedReport(document)
  return 'final_message' in document && document.final_message !== '' ? `${document.final_message}\n` : ''
}

/** The report on stderr. */
export function textError(document: OutcomeDocument): string {
  const error = 'error' in document ? document.error : undefined
  if (!error) return ''
  const hint = error.hint ? `  ${further(error.hint)}\n` : ''
  return `holdpoint: ${document.outcome}: ${further(error.message)}\n${hint}`
}

/** What a person should know while the run goes on, on stderr. */
export function textWarning({ message, hint }: OutcomeWarning): string {
  return `holdpoint: warning: ${further(message)}\n  ${further(hint)}\n`
}

function pausedReport(document: PausedDocument): string {
  const { resume_hint, checkpoint_id, session_id, run_id, due_at } = document
  const ids = [`checkpoint  ${checkpoint_id}`, `session     ${session_id}`, `run         ${run_id}`]
  if (due_at !== null) ids.push(`due         ${due_at}`)
  const until = due_at === null ? '' : ` until ${due_at}`
  return `${[...pauseLines(document), ...ids, '', `Go on with${until}:`, `  ${resume_hint}`].join('\n')}\n`
}
