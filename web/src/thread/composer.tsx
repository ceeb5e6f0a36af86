import { type FormEvent, type KeyboardEvent, type ReactElement, useRef, useState } from 'react'
import { post } from '../api/client.ts'
import { isReachable } from '../api/connection.ts'
import type { Hold } from '../api/documents.ts'
import { ProblemError, wordsOf } from '../api/problem.ts'
import { useMe } from '../api/session.ts'
import { useShared } from '../api/shared-value.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { useDraft } from '../parts/draft.ts'
import { Alert } from '../parts/states.tsx'
import { readCommand } from './command.ts'
import { decideByCommand, type Refusal } from './decide-by-command.ts'
import type { Recipient } from './ways.ts'
import { questionIn, WAYS, type Way, waysFor } from './ways.ts'

interface ComposerProps {
  readonly to: Recipient
  readonly open: readonly Hold[]
}

/** A message to the agent, or a decision in words. */
export function Composer({ to, open }: ComposerProps): ReactElement {
  const [text, setText, dropText] = useDraft(`thread.${to.threadId}`, '')
  const [chosen, choose] = useState<Way | null>(null)
  const [trouble, setTrouble] = useState<Refusal>(null)
  const [busy, setBusy] = useState(false)
  const asking = useConfirm()
  const reachable = useShared(isReachable)
  const ways = useWays(open, to)
  const way = chosen !== null && ways.includes(chosen) ? chosen : (ways[0] ?? null)
  const objection = useObjection(way)
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() === '' || busy || !reachable) return
    setBusy(true)
    const refusal = await said({ to, text: text.trim(), way, open, confirm: asking.confirm })
    setTrouble(refusal)
    setBusy(false)
    if (refusal === null) dropText()
  }
  if (objection !== null)
    return <p className="border-line border-t bg-card px-4 py-3 text-muted text-sm">{objection}</p>
  return (
    <form onSubmit={submit} className="border-line border-t bg-card px-4 py-3 sm:px-8">
      <div className="mx-auto grid max-w-[44rem] gap-2">
        {ways.length > 0 && <Ways ways={ways} way={way} onChoose={choose} />}
        <Alert text={trouble} />
        <div className="flex items-end gap-2">
          <MessageBox text={text} way={way} onChange={setText} onSend={() => void submit()} />
          <Button look="primary" type="submit" busy={busy} disabled={!reachable || text.trim() === ''}>
            {reachable ? 'Send' : 'Waits for the network'}
          </Button>
        </div>
      </div>
      {asking.dialog}
    </form>
  )
}

interface MessageBoxProps {
  readonly text: string
  readonly way: Way | null
  readonly onChange: (text: string) => void
  readonly onSend: () => void
}

function MessageBox({ text, way, onChange, onSend }: MessageBoxProps): ReactElement {
  return (
    <textarea
      aria-label="Message"
      placeholder={way === 'answer' ? 'Your answer' : 'Message, or /approve'}
      rows={Math.min(Math.max(text.split('\n').length, 1), 8)}
      value={text}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={event => isSend(event) && onSend()}
      className="max-h-48 min-h-11 flex-1 resize-none rounded-lg border border-strong-line bg-card px-3 py-2.5 text-text placeholder:text-muted"
    />
  )
}

/** Enter sends and Shift+Enter does not. On a phone the key is for new lines. */
function isSend({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  const isByThumb = matchMedia('(pointer: coarse)').matches
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && !isByThumb
}

interface Saying {
  readonly to: Recipient
  readonly text: string
  readonly way: Way | null
  readonly open: readonly Hold[]
  readonly confirm: (question: string) => Promise<boolean>
}

async function said({ to, text, way, open, confirm }: Saying): Promise<Refusal> {
  const command = readCommand(text)
  if (command?.verb === 'unknown')
    return `${command.word} is not a command. There are /approve, and /deny with a reason.`
  try {
    if (command !== null) return await decideByCommand(command, confirm)
    await sendWords({ to, text, way, question: questionIn(open) })
    return null
  } catch (thrown) {
    return thrown instanceof ProblemError ? wordsOf(thrown) : 'No answer came. Send it again: it counts once.'
  }
}

/** The ways that this person may choose. */
function useWays(open: readonly Hold[], to: Recipient): readonly Way[] {
  const role = useMe()?.role
  const ways = waysFor(open, to)
  return role === 'decider' ? ways.filter(way => way === 'answer') : ways
}

/** Why this person sends nothing; `null` if they may. */
function useObjection(way: Way | null): string | null {
  const role = useMe()?.role
  if (role === 'viewer') return 'Your role is viewer: you may look, and send nothing.'
  if (role === 'decider' && way !== 'answer')
    return 'Your role is decider: you may answer what waits, and start nothing new.'
  return null
}

interface WaysProps {
  readonly ways: readonly Way[]
  readonly way: Way | null
  readonly onChoose: (way: Way) => void
}

function Ways({ ways, way, onChoose }: WaysProps): ReactElement {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <legend className="sr-only">What becomes of this message</legend>
      <div className="flex rounded-lg bg-sunken p-1">
        {ways.map(each => (
          <button
            key={each}
            type="button"
            aria-pressed={each === way}
            onClick={() => onChoose(each)}
            className="min-h-9 rounded-md px-3 text-muted text-xs aria-pressed:bg-card aria-pressed:font-medium aria-pressed:text-text aria-pressed:shadow-card"
          >
            {WAYS[each].name}
          </button>
        ))}
      </div>
      <p className="text-muted text-xs">{way !== null && WAYS[way].means}</p>
    </fieldset>
  )
}

interface Asking {
  readonly confirm: (question: string) => Promise<boolean>
  readonly dialog: ReactElement | null
}

/** Asks once more, in a dialog. */
function useConfirm(): Asking {
  const [question, setQuestion] = useState<string | null>(null)
  const answer = useRef<(sure: boolean) => void>(() => {})
  const end = (sure: boolean) => {
    setQuestion(null)
    answer.current(sure)
  }
  const confirm = (asked: string) => {
    setQuestion(asked)
    return new Promise<boolean>(resolve => {
      answer.current = resolve
    })
  }
  const dialog = question !== null && (
    <Dialog title={question} onClose={() => end(false)}>
      <DialogActions>
        <Button onClick={() => end(false)}>Not now</Button>
        <Button look="bad" onClick={() => end(true)}>
          Approve
        </Button>
      </DialogActions>
    </Dialog>
  )
  return { confirm, dialog: dialog || null }
}

interface Sending {
  readonly to: Recipient
  readonly text: string
  /** `null` if nothing waits. */
  readonly way: Way | null
  readonly question: Hold | null
}

/** The words of a try that got no answer: the same words again are the same message. */
let tried: { readonly text: string; readonly key: string } | null = null

/** @throws ProblemError, NoAnswerError */
async function sendWords({ to, text, way, question }: Sending): Promise<void> {
  const name = `${to.threadId} ${way} ${text}`
  tried = tried?.text === name ? tried : { text: name, key: `page-${crypto.randomUUID()}` }
  const { key } = tried
  if (way === 'answer' && question !== null) {
    const seen = question.digest === null ? {} : { seen: { digest: question.digest } }
    await post(`/v1/holds/${question.id}/answer`, { text, ...seen }, key)
  } else
    await post(
      placeFor(to),
      to.kind === 'agent' ? { text, mode: way ?? 'queue' } : { text, while_waiting: whileWaiting(way) },
      key,
    )
  tried = null
}

function placeFor(to: Recipient): string {
  return to.kind === 'agent' ? `/v1/agents/${to.id}/messages` : `/v1/threads/${to.threadId}/messages`
}

function whileWaiting(way: Way | null): string {
  return way === null || way === 'answer' ? 'reject' : way
}
